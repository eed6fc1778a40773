"""Collect a hidden suite with pytest once, and run it against many submissions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.course import Assignment
from autograder.grading import specs
from autograder.grading.collection import start_session_and_collect_items
from autograder.grading.results import HiddenTestSpec
from autograder.grading.runnable_test import PytestJsonReportRecorder, RawTestRun, RunnableTest
from autograder.grading.specs import read_test_specs, select_tests_of_listed_concepts
from autograder.grading.submission_under_test import SubmissionUnderTest


@dataclass(frozen=True, slots=True)
class HiddenTestLocation:
    """The location of a test in the suite."""

    file: Path
    function_name: str
    """The qualified name of its function; empty if the test is not a function."""
    pytest_id: str
    """pytest's name for the test."""
    line: int = 0
    """The line of its first decorator, or else of its `def`."""


class HiddenSuiteSession:
    """A pytest session with the hidden tests of one assignment, which can be run again and again.

    Attributes:
        test_specs: the description of each test, in the order of the files.
    """

    def __init__(self, assignment: Assignment) -> None:
        """Collect the tests.

        Raises:
            CourseFault: a test cannot be collected, has no docstring or no concept, or a concept has no test.
        """
        self._session, items = start_session_and_collect_items(assignment)
        items = select_tests_of_listed_concepts(items, assignment)
        self._recorder = PytestJsonReportRecorder(self._session.config)
        idle = (self._recorder.plugin, self._session.config.pluginmanager.getplugin("capturemanager"))
        self._tests = [RunnableTest(item, idle) for item in items]
        self.test_specs: tuple[HiddenTestSpec, ...] = read_test_specs(items, assignment)

    def select_tests(self, test_ids: Iterable[str]) -> list[tuple[RunnableTest, HiddenTestSpec]]:
        """Return tests with their descriptions, in the order of their ids."""
        by_id = {spec.id: (test, spec) for test, spec in zip(self._tests, self.test_specs, strict=True)}
        return [by_id[test_id] for test_id in test_ids]

    @contextmanager
    def open_target(self, target: SubmissionUnderTest) -> Iterator[None]:
        """Let tests run on a submission; undo in the end the fixtures that are still set up."""
        self._session.config.stash[specs.TARGET_KEY] = target
        try:
            yield
        finally:
            self._session._setupstate.teardown_exact(None)

    def start_record(self) -> None:
        """Start pytest-json-report's record of a submission: of the last run of each of its tests."""
        self._recorder.start(self._session)

    def record_run(self, test: RunnableTest, raw_run: RawTestRun) -> None:
        """Add a test's run to the record, in the place of an earlier one."""
        self._recorder.add_test(test.item, raw_run)

    @property
    def location_by_spec_id(self) -> dict[str, HiddenTestLocation]:
        """Return the location of each test, by its id."""
        items = [test.item for test in self._tests]
        functions = (getattr(item, "function", None) for item in items)
        return {
            spec.id: HiddenTestLocation(
                item.path, getattr(function, "__qualname__", ""), item.nodeid, (item.location[1] or 0) + 1
            )
            for item, spec, function in zip(items, self.test_specs, functions, strict=True)
        }

    def get_last_pytest_record(self) -> dict[str, Any]:
        """Return pytest-json-report's record since ``start_record``."""
        return self._recorder.finish_submission_record(self._session)

    def close(self) -> None:
        """End the pytest session."""
        self._session.config._ensure_unconfigure()

    def __enter__(self) -> HiddenSuiteSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
