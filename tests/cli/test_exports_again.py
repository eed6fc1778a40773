"""`autograder export` keeps what people decided since its last run, and tells whose it is."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.cli.commands import run, succeeded, told
from tests.toy import HALF, RIGHT, write_toy

HEADER = "Student,ID,SIS User ID,SIS Login ID,Section,Toy (4711)\n    Points Possible,,,,,10.00\n"
STUDENTS = {"Ada": 11, "Bob": 12, "Eve": 13}


@pytest.fixture(scope="module")
def graded_class(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = write_toy(tmp_path_factory.mktemp("toy"))
    (place / "class").mkdir()
    for name, id_ in STUDENTS.items():
        source = RIGHT if name == "Ada" else HALF
        (place / "class" / f"{name.lower()}_{id_}_67890_value.py").write_text(f"{source}# {name}\n")
    succeeded(run("batch", "toy", "class", "--from", "canvas", "--out", "out", cwd=place))
    return place


def export(place: Path, ada: str, bob: str, eve: str, *options: str, name: str = "grades.csv") -> str:
    marks = zip(STUDENTS.items(), (ada, bob, eve), strict=True)
    rows = "".join(f"{student},{id_},,{student.lower()},XC,{mark}\n" for (student, id_), mark in marks)
    (place / name).write_text(HEADER + rows)
    return succeeded(run(*command(name), *options, cwd=place))


def command(name: str) -> tuple[str, ...]:
    return ("export", "canvas", "--batch", "out", "--gradebook", name, "--out", "canvas")


def written(place: Path) -> dict[str, str]:
    rows = [line.split(",") for line in (place / "canvas" / "canvas_gradebook.csv").read_text().splitlines()[2:]]
    return {row[0]: row[-1] for row in rows}


def rows(place: Path, columns: str) -> list[tuple[str | int, ...]]:
    with sqlite3.connect(place / "out" / "results.sqlite") as database:
        return database.execute(f"SELECT {columns} FROM audit ORDER BY id").fetchall()


def test_a_mark_that_a_person_set_after_the_last_export_stays(class_copy: Path) -> None:
    export(class_copy, "", "", "")
    assert written(class_copy) == {"Ada": "10.00", "Bob": "5.00", "Eve": "5.00"}
    shown = export(class_copy, "10.00", "9.00", "2.00")
    assert written(class_copy) == {}
    lines = shown.splitlines()
    first = lines.index("2 marks set by a person stay:")
    assert lines[first + 1 : first + 4] == [
        "  Bob (12): 9.00 stays, results say 5.00, which is lower",
        "  Eve (13): 2.00 stays, results say 5.00",
        "to replace them, use --overwrite STUDENT or --overwrite all",
    ]


def test_a_mark_of_the_kits_own_is_brought_up_to_date_and_a_lower_one_told_first(class_copy: Path) -> None:
    export(class_copy, "", "", "")
    (class_copy / "class" / "ada_11_67890_value.py").write_text(f"{HALF}# Ada\n")
    succeeded(run("batch", "toy", "class", "--from", "canvas", "--out", "out", cwd=class_copy))
    shown = export(class_copy, "10.00", "5.00", "5.00")
    assert written(class_copy) == {"Ada": "5.00"}
    assert shown.splitlines()[:2] == ["1 mark goes down:", "  Ada (11): 10.00 -> 5.00"]


def test_marks_that_were_there_before_the_first_export_stay(class_copy: Path) -> None:
    export(class_copy, "3.00", "", "")
    assert written(class_copy) == {"Bob": "5.00", "Eve": "5.00"}


def test_one_student_s_decision_is_replaced_when_staff_say_so_and_only_in_that_run(class_copy: Path) -> None:
    shown = export(class_copy, "3.00", "4.00", "", "--overwrite", "Ada (11)")
    assert written(class_copy) == {"Ada": "10.00", "Eve": "5.00"}
    assert "  Bob (12): 4.00 stays, results say 5.00" in shown.splitlines()
    export(class_copy, "3.00", "4.00", "5.00", name="later.csv")
    succeeded(run(*command("later.csv"), cwd=class_copy))
    assert written(class_copy) == {}


def test_a_name_that_is_nobody_s_is_told_before_anything_is_written(class_copy: Path) -> None:
    (class_copy / "grades.csv").write_text(f"{HEADER}Ada,11,,ada,XC,\n")
    line = told(run(*command("grades.csv"), "--overwrite", "zoe", cwd=class_copy))
    assert "--overwrite: no student in this export matches 'zoe'" in line
    assert not (class_copy / "canvas").exists()


def test_the_same_file_may_be_filled_in_twice(class_copy: Path) -> None:
    export(class_copy, "", "", "")
    export(class_copy, "10.00", "5.00", "5.00", name="second.csv")
    (class_copy / "class" / "ada_11_67890_value.py").write_text(f"{HALF}# Ada\n")
    succeeded(run("batch", "toy", "class", "--from", "canvas", "--out", "out", cwd=class_copy))
    succeeded(run(*command("second.csv"), cwd=class_copy))
    again = succeeded(run(*command("second.csv"), cwd=class_copy))
    assert written(class_copy) == {"Ada": "5.00"}
    assert "by a person" not in again


def test_each_mark_that_is_written_is_in_the_audit_table_with_who_did_it(class_copy: Path) -> None:
    export(class_copy, "3.00", "", "", "--overwrite", "all")
    columns = (
        "action, platform, assignment, target, student, submission, changed_item, before, after, overwrote, state"
    )
    shared = ("export", "canvas", "toy", "4711")
    assert rows(class_copy, columns) == [
        (*shared, "11", "ada_11", "mark", "3.00", "10.00", 1, "written"),
        (*shared, "12", "bob_12", "mark", "", "5.00", 0, "written"),
        (*shared, "13", "eve_13", "mark", "", "5.00", 0, "written"),
    ]
    ((run_, account),) = set(rows(class_copy, "run, account"))
    assert run_
    assert account


def test_an_export_without_the_platforms_table_says_that_it_sees_no_decisions(class_copy: Path) -> None:
    shown = succeeded(run("export", "nbgrader", "--batch", "out", "--out", "back", cwd=class_copy))
    assert "without --gradebook, marks that people set on the platform are unknown" in shown
    assert "without --gradebook" not in export(class_copy, "", "", "")


def test_a_dry_run_leaves_no_record(class_copy: Path) -> None:
    export(class_copy, "", "", "", "--dry-run")
    assert not rows(class_copy, "id")
