"""A hidden suite: collected by pytest once, run against many submissions."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest
from _pytest.config import (
    ConftestImportFailure,
    _prepareconfig,
)  # what pytest-xdist's workers use too: pytest.main runs and ends

from autograder.course import Assignment
from autograder.faults import CourseFault
from autograder.grading import plugin
from autograder.grading.phases import Ran, Test
from autograder.grading.raw import RawReport
from autograder.grading.results import TestResult, TestSpec
from autograder.grading.target import Target

UNUSED = (
    *("logging", "warnings", "unraisableexception", "threadexception", "faulthandler", "doctest", "unittest"),
    *("skipping", "junitxml", "pastebin", "stepwise", "setuponly", "setupplan", "subtests", "cacheprovider"),
)
"""pytest's own plugins that a hidden suite has no use for; together they take as long as the tests."""

PLUGINS = ("pytest_metadata.plugin", "pytest_jsonreport.plugin", "autograder.grading.plugin")

OPTIONS = (
    "--disable-plugin-autoload",
    *(word for name in PLUGINS for word in ("-p", name)),
    *(word for name in UNUSED for word in ("-p", f"no:{name}")),
    *("--assert=plain", "--capture=no", "--tb=short", "--import-mode=importlib", "--strict-markers"),
    *("--json-report", "--json-report-file=none", "--json-report-omit", "collectors", "log", "streams"),
)

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
        self._assignment = assignment
        with _as_course_fault(assignment), _own_modules(assignment):
            self.config = self._configured()
            self._raw = RawReport(self.config)
            self._session = pytest.Session.from_config(self.config)
            self._session.exitstatus = pytest.ExitCode.OK
            self.config.hook.pytest_sessionstart(session=self._session)
            items = self._collect()
            idle = (self._raw.plugin, self.config.pluginmanager.getplugin("capturemanager"))
            self._tests = [Test(item, idle) for item in items]
        self.specs = tuple(_spec(item, assignment) for item in items)
        _check_specs(self.specs, assignment)

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
        self.config.stash[plugin.TARGET] = target
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
        self.config._ensure_unconfigure()

    def __enter__(self) -> Suite:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _configured(self) -> pytest.Config:
        hidden = self._assignment.hidden
        config = _prepareconfig([*OPTIONS, "-c", os.devnull, f"--rootdir={hidden}", str(hidden)])
        config.stash[plugin.CONVENTIONS] = self._assignment.conventions
        config._do_configure()
        config.pluginmanager.unregister(name="terminalreporter")  # the kit speaks, not pytest
        return config

    def _collect(self) -> list[pytest.Item]:
        reports: list[pytest.CollectReport] = []

        class Listener:
            def pytest_collectreport(self, report: pytest.CollectReport) -> None:
                reports.append(report)

        listener = Listener()
        self.config.pluginmanager.register(listener)
        try:
            items = list(self._session.perform_collect())
        finally:
            self.config.pluginmanager.unregister(listener)
        for report in reports:
            if report.failed:
                last = str(report.longrepr).strip().splitlines()[-1]
                raise CourseFault(f"cannot be collected: {last}", where=report.nodeid or str(self._assignment.hidden))
        return items


def _judged(test: Test, following: pytest.Item | None, spec: TestSpec, judge: Judge) -> tuple[TestResult, Ran]:
    """Run a test and say what it says of the submission."""
    started = time.perf_counter()
    ran = test.run(following)
    return judge(spec, ran.raised, time.perf_counter() - started), ran


@contextmanager
def _as_course_fault(assignment: Assignment) -> Iterator[None]:
    try:
        yield
    except (pytest.UsageError, pytest.Collector.CollectError) as error:
        raise CourseFault(f"cannot be collected: {error}", where=str(assignment.hidden)) from error
    except ConftestImportFailure as failure:
        raise CourseFault(f"cannot be collected: {failure.cause!r}", where=str(failure.path)) from failure


@contextmanager
def _own_modules(assignment: Assignment) -> Iterator[None]:
    """Import this suite's files and not another's of the same name: two suites may be open in one process."""
    names = {path.stem for path in assignment.hidden.glob("*.py")}
    others = {name: sys.modules.pop(name) for name in names & sys.modules.keys()}
    try:
        yield
    finally:
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(others)


def _spec(item: pytest.Item, assignment: Assignment) -> TestSpec:
    place = f"{item.nodeid}"
    concept_mark = item.get_closest_marker("concept")
    name = concept_mark.args[0] if concept_mark and concept_mark.args else ""
    concept = next((concept for concept in assignment.concepts if concept.name == name), None)
    if concept is None:
        known = ", ".join(concept.name for concept in assignment.concepts)
        raise CourseFault(
            f"names no concept of this assignment ({name!r})",
            where=place,
            advice=f"mark it with one of: {known}",
        )
    doc = getattr(getattr(item, "function", None), "__doc__", None) or ""
    sentence = " ".join(doc.strip().split("\n\n")[0].split())
    if not sentence:
        raise CourseFault("has no docstring", where=place, advice="write the sentence that a student reads")
    weight_mark = item.get_closest_marker("weight")
    slug = re.sub(r"[^a-z0-9]+", "-", item.name.removeprefix("test_").lower()).strip("-")
    needs, about = plugin.names_in(item, "needs"), plugin.names_in(item, "about")
    return TestSpec(
        id=f"{concept.slug}.{slug}",
        concept=concept.name,
        sentence=sentence,
        hint=_words(item, "hint"),
        needs=tuple(dict.fromkeys((*about, *needs))),
        about=about,
        weight=_weight(weight_mark, place),
        kept=_words(item, "kept"),
        beyond=item.get_closest_marker("beyond") is not None,
    )


def _words(item: pytest.Item, marker: str) -> str:
    mark = item.get_closest_marker(marker)
    return " ".join(str(mark.args[0]).split()) if mark and mark.args else ""


def _weight(mark: pytest.Mark | None, place: str) -> Fraction:
    if mark is None:
        return Fraction(1)
    value = mark.args[0] if mark.args else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e6:
        raise CourseFault(f"a weight is a number above 0, not {value!r}", where=place)
    return Fraction(str(value))


def _check_specs(specs: Sequence[TestSpec], assignment: Assignment) -> None:
    seen: set[str] = set()
    for spec in specs:
        if spec.id in seen:
            raise CourseFault(f"two tests have the id {spec.id}", where=str(assignment.hidden))
        seen.add(spec.id)
    for concept in assignment.concepts:
        if not any(spec.concept == concept.name for spec in specs):
            raise CourseFault(
                f"no hidden test gives marks for {concept.name!r}",
                where=str(assignment.hidden),
                advice="add one, or take the concept out of grading.yml",
            )
