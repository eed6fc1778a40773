"""Run one hidden test through pytest's three phases without reports, and record it."""

from __future__ import annotations

import io
import sys
import traceback
from collections.abc import Callable, Collection, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pytest
from pytest_jsonreport import serialize

from autograder.grading.specs import NEEDED_NAMES_KEY, read_tested_and_required_names


class _Nowhere(io.TextIOBase):
    """Takes any text, and keeps none of it."""

    def write(self, text: str, /) -> int:
        """Take a text."""
        return len(text)


def suppress_stdout() -> redirect_stdout[_Nowhere]:
    """Return a context in which ``print`` does nothing."""
    return redirect_stdout(_Nowhere())


Phase = Literal["setup", "call", "teardown"]
MAX_MESSAGE_CHARACTERS = 5_000
"""Maximum characters that are kept of an assertion's message."""
LAST_EXCEPTION = ("last_exc", "last_type", "last_value", "last_traceback")
BUILTIN = frozenset({AssertionError, KeyError, IndexError, LookupError, TypeError, ValueError})


@dataclass(frozen=True, slots=True)
class RawTestRun:
    """The outcome of one run of one test."""

    exception: BaseException | None
    """The first exception of any phase; None if the test passed."""
    seconds_by_phase: tuple[float, ...]
    """The seconds of its three phases; only of setup and teardown if the setup failed."""
    phase: Phase = "call"
    """The phase in which the exception was raised."""
    traceback_lines: tuple[tuple[str, int], ...] = ()
    """The files and lines that the exception came through."""

    def clear_exception_frames(self) -> RawTestRun:
        """Drop the exception's references to the submission: its traceback and causes; return this same run.

        The variables of the test's functions go, too: they are in cycles with the exception, and would otherwise
        wait for the next collection of garbage, with all that the submission answered.
        """
        exception = self.exception
        while exception is not None:
            traceback.clear_frames(exception.__traceback__)
            before = exception.__cause__ or exception.__context__
            exception.__traceback__ = exception.__cause__ = exception.__context__ = None
            exception = before
        return self


PASSED = RawTestRun(None, (0.0, 0.0, 0.0))


class RunnableTest:
    """A collected test, ready to be run again and again."""

    __test__ = False

    def __init__(self, item: pytest.Item, unused_plugins: Collection[object]) -> None:
        """Look up the test's hooks once.

        Args:
            item: the test as pytest collected it.
            unused_plugins: plugins whose hooks around the phases do nothing here.
        """
        self.item = item
        self.node = item.nodeid
        tested, self.needed = read_tested_and_required_names(item)
        item.stash[NEEDED_NAMES_KEY] = tested, self.needed
        around = item.ihook
        left_out = {*unused_plugins, *getattr(around, "remove_mods", ())}  # those of a conftest.py in another folder
        subset = partial(item.config.pluginmanager.subset_hook_caller, remove_plugins=left_out)
        self._setup: Callable[..., Any] = subset("pytest_runtest_setup")
        self._call: Callable[..., Any] = subset("pytest_runtest_call")
        self._teardown: Callable[..., Any] = subset("pytest_runtest_teardown")

    def run(self, next_item: pytest.Item | None) -> RawTestRun:
        """Run the test; ``next_item`` is the test after it, which may share fixtures of a wider scope.

        What it prints goes to standard error, since commands print their results to standard output.

        Raises:
            KeyboardInterrupt: the run is to end.
            pytest.exit.Exception: likewise.
        """
        with suppress_stdout():
            return self._run_phases(next_item)

    def _run_phases(self, next_item: pytest.Item | None) -> RawTestRun:
        item: Any = self.item
        item.session._setupstate.teardown_exact(item)  # fixtures that the previous test left for its next test
        if hasattr(item, "_request") and not item._request:
            item._initrequest()
        try:
            calls = [_timed("setup", self._setup, item=item)]
            if calls[0].excinfo is None:
                calls.append(_timed("call", self._call, item=item))
            calls.append(_timed("teardown", self._teardown, item=item, nextitem=next_item))
            return self._make_outcome(calls)
        finally:
            if hasattr(item, "_request"):
                item._request = False
                item.funcargs = None
            for name in LAST_EXCEPTION:  # pytest sets them for debuggers
                vars(sys).pop(name, None)

    def _make_outcome(self, calls: list[pytest.CallInfo[None]]) -> RawTestRun:
        seconds = tuple(call.duration for call in calls)
        raised = next((call for call in calls if call.excinfo), None)
        if raised is None or raised.excinfo is None:
            return RawTestRun(None, seconds)
        _shorten(raised.excinfo.value)
        trace = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(raised.excinfo.tb)]
        return RawTestRun(raised.excinfo.value, seconds, raised.when, tuple(self._list_suite_lines(trace)))  # type: ignore[arg-type]

    def _list_suite_lines(self, trace: Sequence[tuple[str, int]]) -> Sequence[tuple[str, int]]:
        """Return the lines in the suite's folder, without pytest's and the kit's; the last line if there are none."""
        folder = f"{Path(self.item.path).parent}/"
        return [place for place in trace if place[0].startswith(folder)] or trace[-1:]


def _timed(phase: Phase, hook: Callable[..., Any], **arguments: Any) -> pytest.CallInfo[None]:
    return pytest.CallInfo.from_call(
        lambda: hook(**arguments), phase, reraise=(KeyboardInterrupt, pytest.exit.Exception)
    )


def _shorten(raised: BaseException) -> None:
    """Cut an assertion's words: they may hold everything that a student's process answered, many times over."""
    if isinstance(raised, pytest.fail.Exception):
        raised.msg = str(raised.msg)[:MAX_MESSAGE_CHARACTERS]
    elif isinstance(raised, AssertionError | LookupError | TypeError | ValueError) and type(raised) in BUILTIN:
        raised.args = tuple(str(one)[:MAX_MESSAGE_CHARACTERS] for one in raised.args)


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
