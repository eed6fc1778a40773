"""Changed points are counted anew, and any other change is graded; in the end, all is as if it were graded anew."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from autograder.batch.mark_changes import RegradedReportPair
from tests.store.conftest import RIGHT, CounterCourse

Change = Callable[[CounterCourse], None]


def counting(old: str, new: str) -> Change:
    return lambda counter_course: counter_course.change(counter_course.hidden / "test_counting.py", old, new)


def grading(old: str, new: str) -> Change:
    return lambda counter_course: counter_course.change(counter_course.root / "grading.yml", old, new)


def adding(text: str) -> Change:
    return grading("course: small\n", f"course: small\n{text}")


def both(*changes: Change) -> Change:
    def change(counter_course: CounterCourse) -> None:
        for one in changes:
            one(counter_course)

    return change


OTHER_TEST = counting("assert got == 2", "assert got == 1")
CASES = {
    "points": (grading("counting: 10", "counting: 30"), ""),
    "points that do not divide": (grading("counting: 10", "counting: 0.33"), ""),
    "a bonus that is none": (grading("{counting: 10}\n    bonus: {steps: 4}", "{counting: 10, steps: 4}"), ""),
    "who sees it": (adding("feedback: {hidden_tests: hidden, diagnosis: hidden, repair: kind}\n"), ""),
    "a test": (OTHER_TEST, "the hidden tests changed"),
    "a test and points": (both(OTHER_TEST, grading("steps: 4", "steps: 1")), "the hidden tests changed"),
    "what tests share": (
        lambda counter_course: (counter_course.hidden / "conftest.py").write_text("# nothing\n"),
        "the hidden tests changed",
    ),
    "the solution": (
        lambda counter_course: counter_course.solution.write_text(RIGHT + "\n"),
        "the reference solution changed",
    ),
    "more time": (grading("cpu_seconds: 0.1", "cpu_seconds: 0.2"), "the limits changed"),
    "words of wrong numbers": (adding("feedback: {observed_values: false}\n"), "what a failed test shows changed"),
    "what counts as right": (
        grading("defines: [Counter]", "defines: [Counter]\n    conventions: {relu_at_zero: [0, 0]}"),
        "the conventions changed",
    ),
    "a hint of the assignment": (
        grading("    concepts:", '    hints: {"is not iterable": "Is it a list?"}\n    concepts:'),
        "the hints of the assignment changed",
    ),
}


def reasons(told: list[RegradedReportPair]) -> set[str]:
    return {one.reason_to_run for one in told}


@pytest.mark.first_cases(3)
@pytest.mark.thorough_but("points", "points that do not divide", "who sees it", "a test", "more time")
@pytest.mark.parametrize(("change", "reason"), CASES.values(), ids=CASES)
def test_a_change_is_counted_anew_or_graded_and_gives_what_a_full_grading_gives(
    counter_course: CounterCourse, regraded_pairs: list[RegradedReportPair], change: Change, reason: str
) -> None:
    change(counter_course)
    summary = counter_course.regrade(on_regraded=regraded_pairs.append)
    assert reasons(regraded_pairs) == {reason}
    assert len(regraded_pairs) == summary.submission_count == 6
    assert (summary.rescored_count, summary.newly_graded_count) == ((0, 6) if reason else (6, 0))
    assert (summary.outdated_count, summary.failures) == (0, [])
    counter_course.assert_as_if_graded_afresh()


def test_changed_points_start_no_process(counter_course: CounterCourse) -> None:
    grading("counting: 10", "counting: 30")(counter_course)

    def none(*_: object) -> None:
        raise AssertionError("workers were started")

    summary = counter_course.regrade(open_workers=none)
    assert (summary.rescored_count, summary.reused_count) == (6, 0)
    assert counter_course.reports()["alice"].score == 30


def test_a_batch_that_is_run_again_does_the_same(
    counter_course: CounterCourse, regraded_pairs: list[RegradedReportPair]
) -> None:
    OTHER_TEST(counter_course)
    counter_course.batch(on_regraded=regraded_pairs.append)
    assert reasons(regraded_pairs) == {"the hidden tests changed"}
    counter_course.assert_as_if_graded_afresh()


def test_a_change_that_is_taken_back_costs_nothing(counter_course: CounterCourse) -> None:
    before = counter_course.reports()
    grading("counting: 10", "counting: 30")(counter_course)
    counter_course.regrade()
    grading("counting: 30", "counting: 10")(counter_course)
    assert counter_course.regrade().reused_count == 6
    assert counter_course.reports() == before


def test_a_result_with_a_fault_of_the_graders_is_graded_again_and_never_counted_anew(
    counter_course: CounterCourse, regraded_pairs: list[RegradedReportPair]
) -> None:
    counting("assert got == 2", "assert got == 3")(counter_course)
    assert counter_course.regrade().grader_error_count == 5
    again = counter_course.batch()
    assert (again.reused_count, again.grader_error_count) == (1, 5)
    grading("counting: 10", "counting: 30")(counter_course)
    assert counter_course.regrade(on_regraded=regraded_pairs.append).rescored_count == 1
    assert reasons(regraded_pairs) == {"", "a test did not work when it was run"}
