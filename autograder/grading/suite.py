"""A hidden suite: collected by pytest once, run against many submissions."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Generator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

from autograder.course import Assignment
from autograder.grading import plugin
from autograder.grading.phases import Ran, Test
from autograder.grading.raw import RawReport
from autograder.grading.results import TestResult, TestSpec
from autograder.grading.session import close_session, open_session
from autograder.grading.spec import specs_of
from autograder.grading.target import Target

Judge = Callable[[TestSpec, BaseException | None, float], TestResult]
Again = Callable[[TestResult], bool]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a test stands."""

    file: Path
    function: str
    """Its qualified name; empty for what is no function."""
    node: str
    """pytest's name for it."""


class Suite:
    """The hidden tests of one assignment, ready to be run again and again.

    Attributes:
        specs: what each test is, in the order of the files.
    """

    def __init__(self, assignment: Assignment) -> None:
        """Collect the tests.

        Raises:
            CourseFault: a test cannot be collected, has no docstring, or names no concept of ``grading.yml``.
        """
        self._session, items = open_session(assignment)
        self._raw = RawReport(self._session.config)
        idle = (self._raw.plugin, self._session.config.pluginmanager.getplugin("capturemanager"))
        self._tests = [Test(item, idle) for item in items]
        self.specs: tuple[TestSpec, ...] = specs_of(items, assignment)

    def run(
        self, target: Target, judge: Judge, again: Again, begin_with: Collection[str] = ()
    ) -> Generator[TestResult]:
        """Run every test against one submission, or as many as results are asked for.

        Args:
            target: the submission.
            judge: turns what a test raised, and the seconds it took, into its result.
            again: whether a result must be seen twice; called before the second run, which it may prepare.
            begin_with: ids of tests that come before the others.
        """
        self._session.config.stash[plugin.TARGET] = target
        self._raw.start(self._session)
        tests = sorted(zip(self._tests, self.specs, strict=True), key=lambda test: test[1].id not in begin_with)
        following = [test.item for test, _ in tests[1:]]
        try:
            for (test, spec), then in zip(tests, [*following, None], strict=True):
                result, ran = _judged(test, then, spec, judge)
                if again(result):
                    result, ran = _judged(test, then, spec, judge)
                self._raw.add(test.item, ran)
                yield result
        finally:
            self._session._setupstate.teardown_exact(None)  # what is open still when no more results are asked for

    @property
    def places(self) -> dict[str, Place]:
        """Where each test stands, by its id."""
        items = [test.item for test in self._tests]
        functions = (getattr(item, "function", None) for item in items)
        return {
            spec.id: Place(item.path, getattr(function, "__qualname__", ""), item.nodeid)
            for item, spec, function in zip(items, self.specs, functions, strict=True)
        }

    def raw_report(self) -> dict[str, Any]:
        """pytest-json-report's record of the last ``run``."""
        return self._raw.finish(self._session)

    def close(self) -> None:
        """End the pytest session."""
        close_session(self._session)

    def __enter__(self) -> Suite:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _judged(test: Test, following: pytest.Item | None, spec: TestSpec, judge: Judge) -> tuple[TestResult, Ran]:
    """Run a test and say what it says of the submission."""
    started = time.perf_counter()
    ran = test.run(following)
    return judge(spec, ran.raised, time.perf_counter() - started), ran
