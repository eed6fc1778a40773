"""One hidden test through pytest's three phases: what ``runtestprotocol`` does, without reports of what passed.

Most tests of most submissions pass, and three reports for each take longer than the tests themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import pytest

Phase = Literal["setup", "call", "teardown"]
MOST_WORDS = 5_000
"""Characters of an assertion's message that are kept."""
BUILTIN = frozenset({AssertionError, KeyError, IndexError, LookupError, TypeError, ValueError})


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of one run of one test."""

    raised: BaseException | None
    """The first exception of any phase; None when it passed."""
    seconds: tuple[float, ...]
    """Of its phases: three, or two when it could not be set up."""
    reports: tuple[pytest.TestReport, ...] = ()
    """One a phase when something was raised; none otherwise."""


class Test:
    """A collected test, ready to be run again and again."""

    __test__ = False

    def __init__(self, item: pytest.Item, unused: Collection[object]) -> None:
        """Look up its hooks once.

        Args:
            item: as pytest collected it.
            unused: plugins whose hooks around the phases do nothing here.
        """
        self.item = item
        around = item.ihook
        left_out = {*unused, *getattr(around, "remove_mods", ())}  # those of a conftest.py in another folder
        subset = partial(item.config.pluginmanager.subset_hook_caller, remove_plugins=left_out)
        self._setup: Callable[..., Any] = subset("pytest_runtest_setup")
        self._call: Callable[..., Any] = subset("pytest_runtest_call")
        self._teardown: Callable[..., Any] = subset("pytest_runtest_teardown")

    def run(self, following: pytest.Item | None) -> Ran:
        """Run it; ``following`` is the test after it, which may share fixtures of a wider scope.

        Raises:
            KeyboardInterrupt: the run is to end.
            pytest.exit.Exception: likewise.
        """
        item: Any = self.item
        if hasattr(item, "_request") and not item._request:
            item._initrequest()
        try:
            calls = [_timed("setup", self._setup, item=item)]
            if calls[0].excinfo is None:
                calls.append(_timed("call", self._call, item=item))
            calls.append(_timed("teardown", self._teardown, item=item, nextitem=following))
            return self._ran(calls)
        finally:
            if hasattr(item, "_request"):
                item._request = False
                item.funcargs = None

    def _ran(self, calls: list[pytest.CallInfo[None]]) -> Ran:
        seconds = tuple(call.duration for call in calls)
        raised = [call.excinfo.value for call in calls if call.excinfo]
        if not raised:
            return Ran(None, seconds)
        for one in raised:
            _shorten(one)
        item: Any = self.item
        item._json_report_extra = {call.when: {} for call in calls}  # what json-report's own hooks do
        hook = item.ihook.pytest_runtest_makereport
        return Ran(raised[0], seconds, tuple(hook(item=item, call=call) for call in calls))


def _timed(phase: Phase, hook: Callable[..., Any], **arguments: Any) -> pytest.CallInfo[None]:
    return pytest.CallInfo.from_call(
        lambda: hook(**arguments), phase, reraise=(KeyboardInterrupt, pytest.exit.Exception)
    )


def _shorten(raised: BaseException) -> None:
    """Cut an assertion's words: they may hold everything that a student's process answered, many times over."""
    if isinstance(raised, pytest.fail.Exception):
        raised.msg = str(raised.msg)[:MOST_WORDS]
    elif isinstance(raised, AssertionError | LookupError | TypeError | ValueError) and type(raised) in BUILTIN:
        raised.args = tuple(str(one)[:MOST_WORDS] for one in raised.args)
