"""Who is not graded by a new suite keeps the mark that counted last, and not that of a result that was made later."""

from __future__ import annotations

import csv

import pytest

from tests.store.conftest import CounterCourse
from tests.store.test_regrade import counting

STRICT, MILD, STRICT_AGAIN = "assert got == 2", "assert got in (1, 2)", "assert got in (2, 3)"
"""Three versions of one line of the suite. Erin's counter passes the mild one alone."""
STRICT_MARK, MILD_MARK = 5.0, 10.0


@pytest.fixture
def course_back_at_first_suite(counter_course: CounterCourse) -> CounterCourse:
    """A class that was graded by the strict suite, then by the mild one, and then by the strict one again."""
    marks = []
    for before, after in ((STRICT, MILD), (MILD, STRICT)):
        counting(before, after)(counter_course)
        counter_course.regrade()
        marks.append(counter_course.reports()["erin"].score)
    assert marks == [MILD_MARK, STRICT_MARK]
    return counter_course


def test_a_submission_that_is_gone_keeps_the_mark_that_counted_last(
    course_back_at_first_suite: CounterCourse,
) -> None:
    course = course_back_at_first_suite
    (course.students / "erin.py").unlink()
    counting(STRICT, STRICT_AGAIN)(course)
    assert course.regrade().missing_submissions == ["erin"]
    assert course.reports()["erin"].score == STRICT_MARK


def test_a_submission_that_no_one_asked_to_regrade_keeps_the_mark_that_counted_last(
    course_back_at_first_suite: CounterCourse,
) -> None:
    course = course_back_at_first_suite
    counting(STRICT, STRICT_AGAIN)(course)
    course.regrade(only_submissions={"bob"})
    with (course.root / "out" / "gradebook.csv").open(encoding="utf-8") as gradebook:
        rows = {row["submission"]: row for row in csv.DictReader(gradebook)}
    assert float(rows["erin"]["score"]) == STRICT_MARK


def test_what_is_handed_in_anew_does_not_get_the_mark_of_what_was_there_before(
    course_back_at_first_suite: CounterCourse,
) -> None:
    course = course_back_at_first_suite
    course.hand_in(erin="x = 1\n")
    course.batch()
    assert course.reports()["erin"].score == 0
