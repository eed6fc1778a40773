"""A regrade tells which marks change against those in force, tried out or done."""

from __future__ import annotations

from autograder.batch.mark_changes import ClassMarkComparison
from autograder.cli.batch_execution import iterate_batch_summary_lines
from autograder.cli.regrade import iterate_mark_change_lines
from tests.store.conftest import RIGHT, CounterCourse
from tests.store.test_regrade import grading


def told_lines(counter_course: CounterCourse, *, dry_run: bool = False) -> list[str]:
    """What a regrade tells of the marks."""
    marks = ClassMarkComparison()
    summary = counter_course.regrade(on_regraded=marks.add_regraded_submission, dry_run=dry_run)
    return [*iterate_mark_change_lines(marks, summary.reused_count - summary.compared_reused_count)]


FEWER_POINTS = grading("counting: 10", "counting: 5")
POINTS_AS_BEFORE = grading("counting: 5", "counting: 10")


def test_a_regrade_to_an_earlier_version_tells_which_marks_change(counter_course: CounterCourse) -> None:
    FEWER_POINTS(counter_course)
    counter_course.regrade()
    POINTS_AS_BEFORE(counter_course)
    tried = told_lines(counter_course, dry_run=True)
    done = told_lines(counter_course)
    assert done == tried
    assert done == [
        "4 marks go up:",
        "  alice: 5 -> 10, counting +5",
        "  dave: 5 -> 10, counting +5",
        "  frank: 5 -> 10, counting +5",
        "  erin: 2.5 -> 5, counting +2.5",
        "2 marks stay as they are",
    ]
    assert told_lines(counter_course) == ["6 marks stay as they are"]


def test_a_regrade_compares_with_the_marks_in_force_and_not_with_those_given_last(
    counter_course: CounterCourse,
) -> None:
    FEWER_POINTS(counter_course)
    counter_course.regrade()
    POINTS_AS_BEFORE(counter_course)
    counter_course.regrade()
    grading("counting: 10", "counting: 20")(counter_course)
    tried = told_lines(counter_course, dry_run=True)
    assert "  alice: 10 -> 20, counting +10" in tried
    assert told_lines(counter_course) == tried


def test_equal_submissions_are_told_of_alike(counter_course: CounterCourse) -> None:
    counter_course.hand_in(zoe=RIGHT)
    counter_course.batch()
    FEWER_POINTS(counter_course)
    lines = told_lines(counter_course)
    assert {"  alice: 10 -> 5, counting -5", "  zoe: 10 -> 5, counting -5"} < {*lines}


def test_the_summary_tells_results_that_count_again_from_unchanged_ones(counter_course: CounterCourse) -> None:
    FEWER_POINTS(counter_course)
    counter_course.regrade()
    POINTS_AS_BEFORE(counter_course)
    summary = counter_course.regrade()
    assert (summary.newly_graded_count, summary.reused_count, summary.restored_count) == (0, 6, 6)
    line = next(iterate_batch_summary_lines(summary, counter_course.assignment, counter_course.root, "process"))
    assert "0 unchanged, 6 set back to a stored result" in line
