"""A submission that is gone or changed since keeps its result, and is named; the rest of the class is regraded."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from autograder.batch.batch_coordinator import MISSING_MESSAGE
from tests.store.conftest import RIGHT, CounterCourse
from tests.store.test_regrade import OTHER_TEST


def test_a_submission_that_is_gone_keeps_its_result_and_is_named(counter_course: CounterCourse) -> None:
    counter_course.batch()
    before = counter_course.reports()["bob"]
    (counter_course.students / "bob.py").unlink()
    OTHER_TEST(counter_course)
    summary = counter_course.regrade()
    assert (summary.missing_submissions, summary.outdated_count) == (["bob"], 1)
    assert counter_course.reports()["bob"] == before
    assert b"bob" in counter_course.gradebook()


def test_a_submission_that_is_gone_and_was_never_graded_is_told_as_a_failure(counter_course: CounterCourse) -> None:
    counter_course.batch()
    with sqlite3.connect(counter_course.root / "out" / "results.sqlite") as database:
        database.execute("DELETE FROM results WHERE identity IN (SELECT identity FROM members WHERE name = 'bob')")
    (counter_course.students / "bob.py").unlink()
    summary = counter_course.regrade()
    assert [(done.name, done.kit_failure) for done in summary.failures] == [("bob", MISSING_MESSAGE)]
    assert summary.missing_submissions == []


@pytest.mark.thorough
def test_a_submission_that_changed_since_keeps_its_result_and_is_named(counter_course: CounterCourse) -> None:
    counter_course.batch()
    before = counter_course.reports()["bob"]
    counter_course.hand_in(bob=RIGHT)
    OTHER_TEST(counter_course)
    assert counter_course.regrade().missing_submissions == ["bob"]
    assert counter_course.reports()["bob"] == before


def test_submissions_may_have_moved(counter_course: CounterCourse, tmp_path: Path) -> None:
    moved = counter_course.students.rename(tmp_path / "moved")
    OTHER_TEST(counter_course)
    assert counter_course.regrade(students=moved).missing_submissions == []


def test_who_was_not_in_the_class_is_not_regraded(counter_course: CounterCourse) -> None:
    counter_course.hand_in(zoe=RIGHT)
    assert counter_course.regrade().submission_count == 6
