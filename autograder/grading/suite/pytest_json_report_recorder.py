"""Keep pytest-json-report's record of a run, for reference; marks come from the kit's own count.

The package writes one report per pytest session. Here a session outlives many submissions, so its collector is
emptied between them. Tests are entered as the package would enter them, but without the pytest reports that it reads:
their tracebacks take longer to write than most tests take to run.
"""

from __future__ import annotations

from typing import Any

import pytest
from pytest_jsonreport import serialize

from autograder.grading.suite.runnable_test import RawTestRun

PHASES = ("setup", "call", "teardown")


class PytestJsonReportRecorder:
    """Records the run of one submission at a time.

    Attributes:
        plugin: the registered plugin of pytest-json-report.
    """

    def __init__(self, config: pytest.Config) -> None:
        self.plugin: Any = config._json_report  # type: ignore[attr-defined]
        self._passed: dict[pytest.Item, dict[str, Any]] = {}

    def start(self, session: pytest.Session) -> None:
        """Start a new record, and discard that of the previous submission."""
        self.plugin._json_tests.clear()
        self.plugin._json_warnings.clear()
        self.plugin.pytest_sessionstart(session)

    def add_test(self, item: pytest.Item, raw_run: RawTestRun) -> None:
        """Add one test to the record."""
        if item not in self._passed:
            self._passed[item] = serialize.make_testitem(item.nodeid, [*item.keywords], item.location)
        entry = dict(self._passed[item])
        phases = PHASES if len(raw_run.seconds_by_phase) == len(PHASES) else (PHASES[0], PHASES[-1])
        for phase, seconds in zip(phases, raw_run.seconds_by_phase, strict=True):
            entry[phase] = {"duration": seconds, "outcome": "passed"}
        if raw_run.exception is not None:
            skipped = isinstance(raw_run.exception, pytest.skip.Exception)
            entry["outcome"] = "skipped" if skipped else "failed" if raw_run.phase == "call" else "error"
            entry[raw_run.phase] |= {"outcome": "skipped" if skipped else "failed", **_describe_exception(raw_run)}
        self.plugin._json_tests[item.nodeid] = entry

    def finish_submission_record(self, session: pytest.Session) -> dict[str, Any]:
        """Return the record since ``start``, in pytest-json-report's format."""
        self.plugin.pytest_sessionfinish(session)
        report: dict[str, Any] = dict(self.plugin.report)
        return report


def _describe_exception(outcome: RawTestRun) -> dict[str, Any]:
    """Describe an exception and its location in pytest-json-report's format."""
    words = f"{type(outcome.exception).__name__}: {outcome.exception}"
    places = [{"path": path, "lineno": line, "message": ""} for path, line in outcome.traceback_lines]
    if places:
        places[-1]["message"] = words
    return {"crash": places[-1], "traceback": places, "longrepr": words} if places else {"longrepr": words}
