"""What one student is called, or calls a file, wins no points on a platform and stops nobody's results."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC
from pathlib import Path

import pytest

from autograder.editable_csv import EditableCsv
from autograder.platforms import SubmissionResult
from autograder.platforms.moodle.worksheet_column_detection import (
    identify_worksheet_columns,
    require_participant_rows,
)
from autograder.platforms.moodle.worksheet_student_index import WorksheetStudentIndex
from autograder.platforms.nbgrader.reader import try_parse_timestamp
from autograder.submissions import Person, SubmissionOrigin
from autograder.submissions.class_zip_unpacking import unpack_class_zip
from tests.platforms.classes import export_class, result

BOOK = b"""\
Student,ID,SIS User ID,SIS Login ID,Section,HW1 (5)
    Points Possible,,,,,20
"Lovelace, Ada",11111,,,s,
"Smith, Bob",11112,,,s,
"""
GRADE_CENTER = b"""\
Last Name,First Name,Username,HW1 [Total Pts: 20 Score] |12
Lovelace,Ada,ada,
ada,Mal,mal,
"""


def names_in(packed: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(packed)) as opened:
        return opened.namelist()


def of_canvas(user: str, owner: str, file: str) -> SubmissionResult:
    names = (f"{owner}_{user}_9000{user[-1]}_{file}",)
    return result(f"{owner}_{user}", 3, SubmissionOrigin("canvas", (Person(user, owner),), names=names))


@pytest.mark.parametrize("file", ["\udcff.py", "a\\..\\..\\..\\x.py"])
def test_a_files_name_that_no_zip_should_hold_costs_its_own_student_the_feedback(file: str) -> None:
    made = export_class(
        "canvas", BOOK, of_canvas("11111", "lovelaceada", "value.py"), of_canvas("11112", "smithbob", file)
    )
    assert [row.split(b",")[-1] for row in made.files["canvas_gradebook.csv"].splitlines()[2:]] == [b"3.00", b"3.00"]
    assert names_in(made.files["feedback.zip"]) == ["lovelaceada_11111_90001_value.py"]
    assert any("no feedback file for" in note for note in made.notes)


def test_a_folders_name_that_leads_out_is_in_no_zip_for_brightspace() -> None:
    folders = [f"{user}-7 - {name} - Nov 3, 2026 1200 PM" for user, name in (("1", "Ada"), ("2", "M\\..\\..\\x"))]
    rows = [result(one, 3, SubmissionOrigin("brightspace", (Person(one[0], one),), names=(one,))) for one in folders]
    made = export_class("brightspace", None, *rows)
    assert names_in(made.files["feedback.zip"]) == [f"{folders[0]}/feedback.html"]
    assert any("a zip cannot store the folder's name" in sentence for sentence in made.unmatched)


def test_a_name_with_commas_moves_no_points_in_nbgraders_table() -> None:
    person = Person("mal", "A,B,mal@example.com,20,0,20,20", login="mal")
    table = export_class(
        "nbgrader", None, result("mal", 3, SubmissionOrigin("nbgrader", (person,), names=("mal/hw1",)))
    )
    header, line = table.files["grades.csv"].decode().splitlines()
    assert dict(zip(header.split(","), line.split(","), strict=True))["score"] == "3.0"


@pytest.mark.parametrize("when", ["0001-01-01 00:00:00 +14:00", "9999-12-31 23:59:59 -12:00"])
def test_a_time_that_is_none_elsewhere_is_no_time(when: str) -> None:
    assert try_parse_timestamp(when.encode()) is None
    earlier = try_parse_timestamp(b"2026-11-02 10:00:00 +14:00")
    assert earlier is not None
    assert earlier.astimezone(UTC).day == 1


def test_a_name_that_is_no_text_stops_no_table_of_otters() -> None:
    names = ("value\udcff.py",)
    made = export_class(
        "otter", None, result("x\udcff", 3, SubmissionOrigin("nbgrader", (Person("x"),), names=names))
    )
    assert made.files["final_grades.csv"].decode().count("\n") == 3


def test_a_name_like_anothers_login_takes_no_points_and_spoils_none() -> None:
    """Of a plain folder, where ``ada`` is a login and what Mallory is called."""
    made = export_class("blackboard", GRADE_CENTER, result("ada", 17), result("mal", 3))
    rows = made.files["sheet.csv"].decode().splitlines()
    assert [row.rpartition(",")[2] for row in rows[1:]] == ["17", "3"]
    assert made.unmatched == ()


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_results_for_one_row_are_told_and_none_is_written(order: tuple[int, int]) -> None:
    both = [result(name, points, None, {"login": "ada"}) for name, points in (("hers", 17.0), ("his", 0.0))]
    made = export_class("blackboard", GRADE_CENTER, *(both[place] for place in order))
    assert made.files["sheet.csv"] == GRADE_CENTER
    assert len(made.unmatched) == 1
    assert "hers" in made.unmatched[0]
    assert "his" in made.unmatched[0]


def test_a_roster_that_begins_with_names_gives_nobody_anothers_login() -> None:
    his = result("mal's", 3, None, {"name": "ada", "email": "mal@example.com"})
    made = export_class("blackboard", GRADE_CENTER, his)
    assert made.files["sheet.csv"] == GRADE_CENTER
    assert len(made.unmatched) == 1


def test_an_address_for_a_name_in_moodles_worksheet_is_no_address() -> None:
    sheet = EditableCsv(
        b"Identifier,Full name,Email address,Grade,Maximum Grade,Last modified (grade),Feedback comments\n"
        b"Participant 1,Ada Lovelace,ada@example.com,,20,-,\n"
        b"Participant 2,ada@example.com,mal@example.com,,20,-,\n",
        "worksheet.csv",
    )
    rows = require_participant_rows(sheet)
    students = WorksheetStudentIndex(
        rows, sheet.rows[0].cells, identify_worksheet_columns(sheet, [row for _, row in rows], {}), ()
    )
    found = students.list_students_of(
        result("hers", 3, SubmissionOrigin("gradescope", (Person(email="ada@example.com"),))), False
    )
    assert [one.participant_number for one in found] == ["1"]


@pytest.mark.parametrize("top", ["submitted/", "course/submitted/"])
def test_one_students_files_in_a_zip_of_a_course_leave_room_for_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, top: str
) -> None:
    monkeypatch.setattr("autograder.submissions.class_zip_unpacking.MOST_OF_ONE", 1000)
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as packed:
        packed.writestr(f"{top.removesuffix('submitted/')}gradebook.db", "")
        packed.writestr(f"{top}a/hw1/large", bytes(900))
        packed.writestr(f"{top}a/hw1/larger", bytes(900))
        packed.writestr(f"{top}b/hw1/value.py", "x = 1\n" * 20)
    (tmp_path / "out").mkdir()
    unpacked = unpack_class_zip(tmp_path / "class.zip", tmp_path / "out", 1 << 20)
    assert [*unpacked.reason_by_unreadable_path] == [f"{top}a/hw1/larger"]
