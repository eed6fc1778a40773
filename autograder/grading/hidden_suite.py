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
from autograder.grading import suite_state
from autograder.grading.json_report import JsonReportRecorder
from autograder.grading.pytest_phases import RunnableTest, RunOutcome
from autograder.grading.pytest_session import close_session, open_session
from autograder.grading.result_model import TestResult, TestSpec
from autograder.grading.scripted_runs import ScriptedRunner
from autograder.grading.spec_reader import filter_by_listed_concepts, read_test_specs
from autograder.grading.suite_target import SuiteTarget

ClassifyOutcome = Callable[[TestSpec, BaseException | None, float], TestResult]
Again = Callable[[TestResult], bool]
Worse = Callable[[TestResult, TestResult], TestResult]


SHOWS_ORDER = ("passed", "failed", "error")
"""Outcomes that may be others where sets have another order; what was stopped would be stopped once more."""


@dataclass(frozen=True, slots=True)
class LocatedTest:
    """Where a test stands."""

    file: Path
    function: str
    """Its qualified name; empty for what is no function."""
    node: str
    """pytest's name for it."""
    line: int = 0
    """Of its first decorator, or of its `def`."""


class HiddenSuite:
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
        items = filter_by_listed_concepts(items, assignment)
        self._raw = JsonReportRecorder(self._session.config)
        idle = (self._raw.plugin, self._session.config.pluginmanager.getplugin("capturemanager"))
        self._tests = [RunnableTest(item, idle) for item in items]
        self.specs: tuple[TestSpec, ...] = read_test_specs(items, assignment)

    def run_tests(
        self,
        target: SuiteTarget,
        classifier: ClassifyOutcome,
        needs_rerun: Again,
        tests_to_run_first: Collection[str] = (),
        choose_worse: Worse | None = None,
        scripted: ScriptedRunner | None = None,
    ) -> Generator[TestResult]:
        """Run every test against one submission, or as many as results are asked for.

        Args:
            target: the submission.
            classifier: turns what a test raised, and the seconds it took, into its result.
            needs_rerun: says whether a test must be run twice; called before the second run, which it may prepare.
            tests_to_run_first: ids of tests that come before the others.
            choose_worse: chooses the result that counts: the one with sets in the usual order, or the one with sets
                in the opposite order. None for a submission that does not depend on the order; its tests run in one
                only.
            scripted: runs the tests; None where each test is to ask for itself.

        Raises:
            Unsound: see ``ScriptedRunner.run_or_replay``.
        """
        self._session.config.stash[suite_state.TARGET] = target
        self._raw.start(self._session)
        tests = sorted(
            zip(self._tests, self.specs, strict=True), key=lambda test: test[1].id not in tests_to_run_first
        )
        following = [test.item for test, _ in tests[1:]]
        if scripted:
            orders = (False, True) if choose_worse else (False,)
            scripted.begin_run([((test.node, falling), test.needed) for test, _ in tests for falling in orders])
        try:
            for (test, spec), then in zip(tests, [*following, None], strict=True):
                turn = ScheduledTest(test, then, spec, classifier, needs_rerun, target, scripted)
                result, ran = turn.run_and_classify()
                if choose_worse and result.outcome in SHOWS_ORDER:
                    target.reversed_sets = True
                    opposite, ran_so = turn.run_and_classify()
                    target.reversed_sets = False
                    result, ran = choose_worse(result, opposite), ran if ran.raised else ran_so
                self._raw.add_test(test.item, ran)
                yield result
        finally:
            target.reversed_sets = False
            self._session._setupstate.teardown_exact(None)  # what is open still when no more results are asked for

    @property
    def test_locations(self) -> dict[str, LocatedTest]:
        """Return where each test stands, by its id."""
        items = [test.item for test in self._tests]
        functions = (getattr(item, "function", None) for item in items)
        return {
            spec.id: LocatedTest(
                item.path, getattr(function, "__qualname__", ""), item.nodeid, (item.location[1] or 0) + 1
            )
            for item, spec, function in zip(items, self.specs, functions, strict=True)
        }

    def make_json_report(self) -> dict[str, Any]:
        """Return pytest-json-report's record of the last ``run_tests``."""
        return self._raw.finish(self._session)

    def close(self) -> None:
        """End the pytest session."""
        close_session(self._session)

    def __enter__(self) -> HiddenSuite:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class ScheduledTest:
    """A test, and what it takes to say how a submission does in it."""

    test: RunnableTest
    following: pytest.Item | None
    spec: TestSpec
    classifier: ClassifyOutcome
    needs_rerun: Again
    target: SuiteTarget
    scripted: ScriptedRunner | None

    def run_and_classify(self) -> tuple[TestResult, RunOutcome]:
        """Run the test, and once more if it must be run twice; return the last result."""
        result, ran = self._judged()
        return self._judged() if self.needs_rerun(result) else (result, ran)

    def _judged(self) -> tuple[TestResult, RunOutcome]:
        started = time.perf_counter()
        known = self.target.get_findings()
        ran = self._run()
        if isinstance(ran.raised, StudentStopped) and self.target.get_findings() != known:
            ran = self._run()  # what was stopped is what it did to find this out, and no test need do that again
        return self.classifier(self.spec, ran.raised, time.perf_counter() - started), ran

    def _run(self) -> RunOutcome:
        if self.scripted is None:
            return self.test.run(self.following)
        return self.scripted.run_or_replay(self.test.node, self.test.needed, lambda: self.test.run(self.following))
