"""Run again, a batch grades what is new or was changed, and nothing else."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from autograder.course import Assignment
from autograder.workers.grading_tasks import GradingTaskResult
from tests.batch.classes import ENGINE, Batch, Grade, zipped
from tests.store.conftest import here


def test_run_again_it_grades_nothing(first: Batch, grade_again: Grade, students: Path) -> None:
    again = grade_again(students)
    assert (again.summary.reused_count, again.summary.report_count) == (3, 3)
    assert again.written_at == first.written_at


def test_run_again_it_tells_of_every_student_once_more(grade_again: Grade, students: Path) -> None:
    told: list[GradingTaskResult] = []
    grade_again(students, progress=told.append)
    assert [(done.name, done.status, done.was_reused) for done in told] == [
        ("alice", "graded", True),
        ("bob", "empty", True),
        ("carol", "syntax-error", True),
    ]


def test_run_again_it_grades_who_is_new(first: Batch, grade_again: Grade, students: Path) -> None:
    (students / "dave.py").touch()
    again = grade_again(students)
    assert again.summary.reused_count == 3
    assert {name for name in again.written_at if again.written_at[name] != first.written_at.get(name)} == {
        "dave.json"
    }


def test_run_again_it_grades_who_handed_in_something_else(first: Batch, grade_again: Grade, students: Path) -> None:
    (students / "bob.py").write_text(ENGINE, encoding="utf-8")
    again = grade_again(students)
    assert {name for name in again.written_at if again.written_at[name] != first.written_at[name]} == {"bob.json"}
    assert again.reports["bob"].status.outcome == "graded"


def test_a_new_submission_with_the_files_of_another_does_not_count_as_unchanged(grade: Grade, tmp_path: Path) -> None:
    for name in ("alice", "bob"):
        (tmp_path / "class" / name).mkdir(parents=True)
        (tmp_path / "class" / name / "value.py").write_text(ENGINE, encoding="utf-8")
        summary = grade(tmp_path / "class").summary
    assert (summary.reused_count, summary.duplicate_count) == (2, 1)


def test_run_again_it_leaves_out_who_is_gone(grade_again: Grade, students: Path) -> None:
    (students / "bob.py").unlink()
    assert [row["submission"] for row in grade_again(students).gradebook] == ["alice", "carol"]


def test_a_report_that_was_thrown_away_is_written_from_what_is_kept(
    first: Batch, grade_again: Grade, students: Path, tmp_path: Path
) -> None:
    (tmp_path / "out" / "reports" / "carol.json").unlink()
    (tmp_path / "out" / "gradebook.csv").unlink()
    again = grade_again(students)
    assert again.summary.reused_count == 3
    assert (again.reports, again.gradebook) == (first.reports, first.gradebook)


def test_a_changed_assignment_is_graded_anew(grade_again: Grade, students: Path, engine: Assignment) -> None:
    again = grade_again(students, assignment=replace(engine, version="0" * 16))
    assert again.summary.reused_count == 0
    assert {report.assignment.version for report in again.reports.values()} == {"0" * 16}


def test_a_report_that_is_none_is_written_anew(
    first: Batch, grade_again: Grade, students: Path, tmp_path: Path
) -> None:
    for number, content in enumerate((b"", b"{", b"[]", b'{"score": 100}', b"\xff\xfe", b"null")):
        (students / f"{number}.py").touch()
        (tmp_path / "out" / "reports" / f"{number}.json").write_bytes(content)
    again = grade_again(students)
    assert again.summary.reused_count == 3
    assert again.summary.status_counts["empty"] == 1 + 6


def test_a_report_of_something_else_is_written_anew(
    first: Batch, grade_again: Grade, students: Path, tmp_path: Path
) -> None:
    fields = ("kit_version", "assignment.name", "assignment.version", "submission.sha256", "isolation.tier")
    for field in fields:
        report = json.loads((first.out / "reports" / "bob.json").read_bytes())
        *above, last = field.split(".")
        (report[above[0]] if above else report)[last] = "0" * 64
        (students / f"{field}.py").touch()
        (tmp_path / "out" / "reports" / f"{field}.json").write_text(json.dumps(report), encoding="utf-8")
    again = grade_again(students)
    assert again.summary.reused_count == 3
    assert {*fields} <= {*again.reports}


def test_a_zip_that_cannot_be_graded_is_not_graded_again(grade: Grade, tmp_path: Path) -> None:
    (tmp_path / "zips").mkdir()
    zipped(tmp_path / "zips" / "dave.zip", [("one.py", ENGINE), ("two.py", ENGINE)])
    assert grade(tmp_path / "zips").reports["dave"].status.outcome == "several-candidates"
    assert grade(tmp_path / "zips").summary.reused_count == 1


def test_a_zip_beside_files_that_are_no_programs_is_graded_once(grade: Grade, tmp_path: Path) -> None:
    (tmp_path / "class" / "dave").mkdir(parents=True)
    zipped(tmp_path / "class" / "dave" / "work.zip", [("value.py", ENGINE)])
    (tmp_path / "class" / "dave" / "report.pdf").touch()
    assert grade(tmp_path / "class").reports["dave"].status.outcome == "graded"
    assert grade(tmp_path / "class").summary.reused_count == 1


def test_a_zip_in_a_folder_is_graded_again_if_it_changed(grade: Grade, tmp_path: Path) -> None:
    (tmp_path / "class" / "dave").mkdir(parents=True)
    zipped(tmp_path / "class" / "dave" / "work.zip", [("value.py", ENGINE)])
    grade(tmp_path / "class")
    zipped(tmp_path / "class" / "dave" / "work.zip", [("value.py", "def (")])
    assert grade(tmp_path / "class").reports["dave"].status.outcome == "syntax-error"


def test_a_mark_that_a_failed_grading_displaces_is_named(
    first: Batch, grade_again: Grade, students: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> NoReturn:
        raise RuntimeError("odd")

    (students / "alice.py").write_text(f"{ENGINE}x = 1\n", encoding="utf-8")
    monkeypatch.setattr("autograder.workers.grading_worker._read_submission", fail)
    monkeypatch.setattr("tests.batch.classes.open_local_workers", lambda *given, worker_count: here(*given))
    again = grade_again(students)
    assert [done.name for done in again.summary.failures] == ["alice"]
    assert again.summary.displaced_results == ["alice"]
    assert [row["submission"] for row in again.gradebook] == ["bob", "carol"]
    assert again.reports["alice"] == first.reports["alice"]
