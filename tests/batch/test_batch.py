"""A class is graded into one report a student and one gradebook."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from autograder.course import Assignment
from autograder.workers.grading_tasks import GradingTaskResult
from tests.batch.classes import Batch, Grade, notebook, zipped


def test_every_student_gets_a_report(first: Batch) -> None:
    assert {name: report.status.outcome for name, report in first.reports.items()} == {
        "alice": "graded",
        "bob": "empty",
        "carol": "syntax-error",
    }


def test_who_was_graded_has_the_record_of_pytest_too(first: Batch) -> None:
    assert [path.name for path in (first.out / "raw").iterdir()] == ["alice.json"]


def test_the_gradebook_has_a_column_for_each_concept(first: Batch, engine: Assignment) -> None:
    concepts = [concept.name for concept in engine.concepts]
    columns = list(first.gradebook[0])
    first_ones = ["submission", "score", "max_score", "bonus", "status", *concepts, "grader_errors", "message"]
    assert columns[: len(first_ones)] == first_ones


def test_the_gradebook_has_a_row_for_each_student_in_order(first: Batch) -> None:
    assert [row["submission"] for row in first.gradebook] == ["alice", "bob", "carol"]


def test_the_gradebook_says_what_the_reports_say(first: Batch) -> None:
    reports = first.reports
    for row in first.gradebook:
        report = reports[row["submission"]]
        assert float(row["score"]) == pytest.approx(report.score, abs=0.005)
        assert (row["status"], row["message"]) == (report.status.outcome, report.status.message)
        for concept in report.concepts:
            assert float(row[concept.name]) == pytest.approx(concept.score, abs=0.005)


def test_the_summary_counts_what_came_of_the_batch(first: Batch) -> None:
    summary = first.summary
    assert (
        summary.submission_count,
        summary.report_count,
        summary.reused_count,
        summary.failures,
    ) == (3, 3, 0, [])
    assert summary.status_counts == {"graded": 1, "empty": 1, "syntax-error": 1}
    assert summary.mean_score_or_zero == pytest.approx(first.reports["alice"].score / 3)


def test_progress_is_told_once_for_each_student(grade: Grade, students: Path) -> None:
    told: list[GradingTaskResult] = []
    grade(students, progress=told.append)
    assert sorted((done.name, done.was_reused) for done in told) == [
        ("alice", False),
        ("bob", False),
        ("carol", False),
    ]


def test_nothing_is_left_beside_the_reports(first: Batch) -> None:
    assert sorted(path.name for path in first.out.iterdir()) == ["gradebook.csv", "raw", "reports", "results.sqlite"]
    assert sorted(first.written_at) == ["alice.json", "bob.json", "carol.json"]


def test_nothing_is_written_where_the_submissions_are(grade: Grade, students: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in students.rglob("*")}
    grade(students)
    assert {path: path.stat().st_mtime_ns for path in students.rglob("*")} == before


def test_two_workers_come_to_the_same_results_as_one(first: Batch, grade: Grade, students: Path) -> None:
    one, two = first.reports, grade(students, workers=2).reports
    assert {name: msgspec.structs.replace(report, timing=one[name].timing) for name, report in two.items()} == one


def test_a_zip_is_graded_like_a_folder(grade: Grade, students: Path, tmp_path: Path) -> None:
    archive = zipped(
        tmp_path / "class.zip", ((f"homework/{path.name}", path.read_text()) for path in students.iterdir())
    )
    assert {name: report.status.outcome for name, report in grade(archive).reports.items()} == {
        "alice": "graded",
        "bob": "empty",
        "carol": "syntax-error",
    }


def test_a_script_and_a_notebook_of_one_name_get_a_report_each(grade: Grade, students: Path) -> None:
    (students / "alice.ipynb").write_text(notebook("x = 1"), encoding="utf-8")
    reports = grade(students).reports
    assert reports["alice.py"].status.outcome == "graded"
    assert reports["alice.ipynb"].status.outcome == "nothing-defined"
