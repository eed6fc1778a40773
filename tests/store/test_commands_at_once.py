"""Commands that write the files of one class at the same moment: the files hold what all of them saved."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import URL

from autograder.batch import BatchLocation, batch_coordinator, graded_class
from autograder.batch.graded_class import rewrite_reports_and_gradebook
from autograder.decisions import DecisionProvenance
from autograder.store import session
from autograder.store.connection import DATABASE_FILE
from autograder.store.results.result_model import GradingRules
from autograder.store.store import open_or_create_store
from autograder.web.retention.erasure import carry_out_erasure, plan_person_erasure
from autograder.web.store.server_store import open_server_store
from autograder.workers.grading_tasks import GradingTaskResult
from tests.store.conftest import RIGHT, CounterCourse, open_counter_class

SECONDS_FOR_THE_OTHER = 2.0


def comment_and_rewrite(counter_course: CounterCourse, who: str, comment: str) -> None:
    """Do what ``autograder decide comment`` does."""
    with open_counter_class(counter_course) as opened:
        opened.save_and_number_decisions(
            [DecisionProvenance("Kim", "kim").make_decision("comment", who, value=comment)]
        )
    rewrite_reports_and_gradebook(BatchLocation(counter_course.root / "out"), "", lambda _: counter_course.assignment)


def run_before_gradebook(monkeypatch: pytest.MonkeyPatch, module: Any, other: Callable[[], None]) -> threading.Thread:
    """Start another command when the first one has read the store and is about to write the gradebook."""
    thread = threading.Thread(target=other)
    write_gradebook = module.write_gradebook

    def write_late(reports: Any, *arguments: Any) -> None:
        read = [*reports]
        monkeypatch.undo()
        thread.start()
        thread.join(SECONDS_FOR_THE_OTHER)
        write_gradebook(read, *arguments)

    monkeypatch.setattr(module, "write_gradebook", write_late)
    return thread


def test_two_decisions_at_once_are_both_in_reports_and_gradebook(
    counter_course: CounterCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = run_before_gradebook(
        monkeypatch, graded_class, lambda: comment_and_rewrite(counter_course, "bob", "the second")
    )
    comment_and_rewrite(counter_course, "alice", "the first")
    second.join()
    assert b"the first" in counter_course.gradebook()
    assert b"the second" in counter_course.gradebook()


def test_a_decision_at_the_end_of_a_regrade_is_in_the_gradebook(
    counter_course: CounterCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    decision = run_before_gradebook(
        monkeypatch, batch_coordinator, lambda: comment_and_rewrite(counter_course, "bob", "the decision")
    )
    counter_course.regrade()
    decision.join()
    assert b"the decision" in counter_course.gradebook()


def test_two_first_batches_at_once_record_one_class(url: URL) -> None:
    rules, together = GradingRules("toy", "v", "1", "c", "k"), threading.Barrier(4)

    def record(_number: int) -> int:
        with open_or_create_store(url) as store:
            together.wait()
            return store.classes.record_class_and_replace_entries("b", Path("class"), rules, []).id

    with open_or_create_store(url):
        pass
    with ThreadPoolExecutor(4) as threads:
        assert len({*threads.map(record, range(4))}) == 1


def test_a_student_who_is_erased_while_the_class_is_graded_stays_erased(
    counter_course: CounterCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "MAX_UNWRITTEN_ROWS", 1)  # the batch holds no lock while it reports a result
    counter_course.hand_in(yan=f"{RIGHT}# yan\n", zed=f"{RIGHT}# zed\n")
    location = BatchLocation(counter_course.root / "out")

    def erase_zed(done: GradingTaskResult) -> None:
        if done.name == "yan":
            with open_server_store(location, must_exist=True) as store:
                carry_out_erasure(store, location, plan_person_erasure(store, location, "zed"))

    counter_course.batch(on_result=erase_zed)
    assert "yan" in counter_course.reports()
    assert "zed" not in counter_course.reports()
    assert b"zed" not in counter_course.gradebook()
    assert not [*(counter_course.root / "out" / "raw").glob("zed*")]
    assert count_results(counter_course) == len(counter_course.reports())


def count_results(counter_course: CounterCourse) -> int:
    connection = sqlite3.connect(counter_course.root / "out" / DATABASE_FILE)
    with closing(connection):
        (found,) = connection.execute("SELECT count(*) FROM results").fetchone()
    return int(found)
