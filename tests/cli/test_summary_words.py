"""What a batch came to, in a few lines: nothing that there is nothing to say of."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from autograder.batch import BatchSummary
from autograder.class_reports.code_similarity import SimilarCodeFindings, SimilarProgramPair
from autograder.cli.batch_execution import iterate_batch_summary_lines
from autograder.cli.similar import iterate_similarity_summary_lines
from autograder.course import Assignment
from autograder.course.deadline_rules import DeadlineRules
from autograder.lateness import SubmissionTimes
from autograder.workers.grading_tasks import GradingTaskResult

OUT = Path("out")


def lines(
    assignment: Assignment, *ones: GradingTaskResult, submission_times: SubmissionTimes | None = None
) -> list[str]:
    summary = BatchSummary(submission_count=len(ones), seconds=2.0)
    for one in ones:
        summary.add_result(one)
    summary.submission_times = submission_times
    return list(iterate_batch_summary_lines(summary, assignment, OUT, "namespaces"))


def task_result(name: str, score: float = 100.0, *mistakes: str) -> GradingTaskResult:
    return GradingTaskResult(name, score, "graded", misconceptions=mistakes, seconds=0.1)


def test_a_batch_without_remarks_is_three_lines(engine: Assignment) -> None:
    assert lines(engine, task_result("a"), task_result("b", 50)) == [
        "2 submissions: 2 graded in 2.0 s, 1.0 a second, 0 unchanged (isolation: namespaces)",
        "score: mean 75, median 100, lowest 50, highest 100, of 100",
        "reports in out/reports, gradebook in out/gradebook.csv",
    ]


def test_files_that_another_student_handed_in_too_are_not_called_unchanged(engine: Assignment) -> None:
    summary = BatchSummary(submission_count=3, reused_count=2, duplicate_count=1)
    first_line = next(iterate_batch_summary_lines(summary, engine, OUT, "namespaces"))
    assert "1 unchanged, 1 with files graded already" in first_line


def test_one_other_program_shares_and_two_share() -> None:
    pair = SimilarProgramPair((("ada",), ("bob",)), 0.9, 12, 1, ((), ()))
    findings = SimilarCodeFindings(4, (), (), (pair, replace(pair, others=2)), (), (), 0)
    shown = "\n".join(iterate_similarity_summary_lines(findings))
    assert "1 other shares as much" in shown
    assert "2 others share as much" in shown


def test_where_pages_for_students_were_written_is_said(engine: Assignment) -> None:
    assert [*iterate_batch_summary_lines(BatchSummary(wrote_student_pages=True), engine, OUT, "namespaces")][
        -1
    ] == "pages for students in out/feedback"


def test_mistakes_that_several_made_are_listed_with_how_many(engine: Assignment) -> None:
    shown = lines(
        engine, *(task_result(f"{n}", 5, "It assigns", "It forgets") for n in range(3)), task_result("x", 5, "Rare")
    )
    start = shown.index("most common mistakes:")
    assert shown[start + 1 : -1] == ["     3  It assigns", "     3  It forgets"]


def test_who_was_clearly_slower_than_most_is_named_with_seconds(engine: Assignment) -> None:
    slow = [replace(task_result(name), seconds=seconds) for name, seconds in (("eve", 12.34), ("ada", 3.0))]
    assert "slowest: eve 12.3 s, ada 3.0 s" in lines(engine, *(task_result(f"{n}") for n in range(9)), *slow)
    assert not [line for line in lines(engine, task_result("a"), task_result("b")) if line.startswith("slowest")]


def test_no_more_than_five_mistakes_are_listed(engine: Assignment) -> None:
    shown = lines(engine, *(task_result(f"{n}", 5, *(f"mistake {m}" for m in range(9))) for n in range(2)))
    assert sum("mistake " in line for line in shown) == 5


def test_a_failure_of_the_kits_is_told_with_its_reason_and_does_nothing_to_the_terminal(engine: Assignment) -> None:
    shown = lines(engine, GradingTaskResult("a\x1b[31m", kit_failure="the disk is full"))
    assert "a\\x1b[31m was not graded: the disk is full" in shown


def test_a_deadline_without_a_table_is_told_and_a_table_without_a_deadline_is_not(engine: Assignment) -> None:
    due = replace(engine, deadline_rules=DeadlineRules(deadline=datetime(2025, 11, 21, tzinfo=UTC)))
    assert sum("--submission-times" in line for line in lines(due, task_result("a"))) == 1
    assert not [
        line
        for line in lines(due, task_result("a"), submission_times=SubmissionTimes())
        if "--submission-times" in line
    ]
    assert not [line for line in lines(engine, task_result("a")) if "--submission-times" in line]
