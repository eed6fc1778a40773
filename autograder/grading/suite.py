"""Collect a hidden suite with pytest once, and run it against many submissions."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Generator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

from autograder.bridge import StudentStopped
from autograder.course import Assignment
from autograder.grading import plugin
from autograder.grading.phases import Ran, Test
from autograder.grading.raw import RawReport
from autograder.grading.results import TestResult, TestSpec
from autograder.grading.scripted import Scripted
from autograder.grading.session import close_session, open_session
from autograder.grading.spec import listed, specs_of
from autograder.grading.target import Target

Judge = Callable[[TestSpec, BaseException | None, float], TestResult]
Again = Callable[[TestResult], bool]
Worse = Callable[[TestResult, TestResult], TestResult]


SHOWS_ORDER = ("passed", "failed", "error")
"""Outcomes that may be others where sets have another order; what was stopped would be stopped once more."""


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
            CourseFault: a test cannot be collected, has no docstring or no concept, or a concept has no test.
        """
        self._session, items = open_session(assignment)
        items = listed(items, assignment)
        self._raw = RawReport(self._session.config)
        idle = (self._raw.plugin, self._session.config.pluginmanager.getplugin("capturemanager"))
        self._tests = [Test(item, idle) for item in items]
        self.specs: tuple[TestSpec, ...] = specs_of(items, assignment)

    def run(
        self,
        target: Target,
        judge: Judge,
        again: Again,
        begin_with: Collection[str] = (),
        worse: Worse | None = None,
        scripted: Scripted | None = None,
    ) -> Generator[TestResult]:
        """Run every test against one submission, or as many as results are asked for.

        Args:
            target: the submission.
            judge: turns what a test raised, and the seconds it took, into its result.
            again: says whether a test must be run twice; called before the second run, which it may prepare.
            begin_with: ids of tests that come before the others.
            worse: chooses the result that counts: the one with sets in the usual order, or the one with sets in the
                opposite order. None for a submission that does not depend on the order; its tests run in one only.
            scripted: runs the tests; None where each test is to ask for itself.

        Raises:
            Unsound: see ``Scripted.run``.
        """
        self._session.config.stash[plugin.TARGET] = target
        self._raw.start(self._session)
        tests = sorted(zip(self._tests, self.specs, strict=True), key=lambda test: test[1].id not in begin_with)
        following = [test.item for test, _ in tests[1:]]
        if scripted:
            orders = (False, True) if worse else (False,)
            scripted.begin([((test.node, falling), test.needed) for test, _ in tests for falling in orders])
        try:
            for (test, spec), then in zip(tests, [*following, None], strict=True):
                turn = Turn(test, then, spec, judge, again, target, scripted)
                result, ran = turn.seen()
                if worse and result.outcome in SHOWS_ORDER:
                    target.falling = True
                    opposite, ran_so = turn.seen()
                    target.falling = False
                    result, ran = worse(result, opposite), ran if ran.raised else ran_so
                self._raw.add(test.item, ran)
                yield result
        finally:
            target.falling = False
            self._session._setupstate.teardown_exact(None)  # what is open still when no more results are asked for

    @property
    def places(self) -> dict[str, Place]:
        """Return where each test stands, by its id."""
        items = [test.item for test in self._tests]
        functions = (getattr(item, "function", None) for item in items)
        return {
            spec.id: Place(item.path, getattr(function, "__qualname__", ""), item.nodeid)
            for item, spec, function in zip(items, self.specs, functions, strict=True)
        }

    def raw_report(self) -> dict[str, Any]:
        """Return pytest-json-report's record of the last ``run``."""
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


@dataclass(frozen=True, slots=True)
class Turn:
    """A test, and what it takes to say how a submission does in it."""

    test: Test
    following: pytest.Item | None
    spec: TestSpec
    judge: Judge
    again: Again
    target: Target
    scripted: Scripted | None

    def seen(self) -> tuple[TestResult, Ran]:
        """Run the test, and once more if it must be run twice; return the last result."""
        result, ran = self._judged()
        return self._judged() if self.again(result) else (result, ran)

    def _judged(self) -> tuple[TestResult, Ran]:
        started = time.perf_counter()
        known = self.target.found_out()
        ran = self._run()
        if isinstance(ran.raised, StudentStopped) and self.target.found_out() != known:
            ran = self._run()  # what was stopped is what it did to find this out, and no test need do that again
        return self.judge(self.spec, ran.raised, time.perf_counter() - started), ran

    def _run(self) -> Ran:
        if self.scripted is None:
            return self.test.run(self.following)
        return self.scripted.run(self.test.node, self.test.needed, lambda: self.test.run(self.following))
