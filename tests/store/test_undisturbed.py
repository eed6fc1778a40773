"""Ctrl-C ends a batch between two statements of its database, never in the middle of one."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Engine, event
from sqlalchemy.engine import URL
from sqlalchemy.engine.cursor import CursorFetchStrategy

from autograder.reports import ScoreReport, read_report_json
from autograder.store.results.result_model import GradingRules, SubmissionDigests, pack_anonymous_result
from autograder.store.store import open_or_create_store
from tests.store.conftest import CounterCourse

RULES = GradingRules("counter", "v1", "0.1.0", "conditions", "known")


@pytest.fixture
def report(graded_counter_course: CounterCourse) -> ScoreReport:
    return read_report_json(graded_counter_course.root / "out" / "reports" / "alice.json")


@pytest.fixture(autouse=True)
def as_python_does() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_what_was_put_before_an_interrupt_and_in_its_midst_is_kept(url: URL, report: ScoreReport) -> None:
    record = pack_anonymous_result(report, {})

    def interrupted(*_: object) -> None:
        signal.raise_signal(signal.SIGINT)

    def batch() -> None:
        with open_or_create_store(url) as store:
            store.results.save_result_unless_final(SubmissionDigests("a" * 64, ""), RULES, {}, report, record)
            event.listen(Engine, "before_cursor_execute", interrupted)
            try:
                store.results.save_result_unless_final(SubmissionDigests("b" * 64, ""), RULES, {}, report, record)
            finally:
                event.remove(Engine, "before_cursor_execute", interrupted)

    with pytest.raises(KeyboardInterrupt):
        batch()
    with open_or_create_store(url) as store:
        assert store.results.find_result("a" * 64, RULES)
        assert store.results.find_result("b" * 64, RULES)


def test_what_was_put_before_an_interrupt_in_the_midst_of_reading_is_kept(
    url: URL, report: ScoreReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = CursorFetchStrategy.fetchone

    def interrupted(self: CursorFetchStrategy, result: Any, cursor: Any, hard_close: bool = False) -> Any:
        try:
            signal.raise_signal(signal.SIGINT)
        except BaseException as error:
            self.handle_exception(result, cursor, error)
        return reading(self, result, cursor, hard_close)

    def batch() -> None:
        with open_or_create_store(url) as store:
            store.results.save_result_unless_final(
                SubmissionDigests("a" * 64, ""),
                RULES,
                {},
                report,
                pack_anonymous_result(report, {}),
            )
            with monkeypatch.context() as patch:
                patch.setattr(CursorFetchStrategy, "fetchone", interrupted)
                store.results.find_result("b" * 64, RULES)

    with pytest.raises(KeyboardInterrupt):
        batch()
    with open_or_create_store(url) as store:
        assert store.results.find_result("a" * 64, RULES)
