"""Hostile downloads and reports: nothing outside is read, nothing of them is markup or a formula."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import pytest

from autograder.platforms import Download, SubmissionResult
from autograder.platforms.common import download
from autograder.platforms.common.opened_submissions import open_class_submissions
from autograder.submissions import Person, SubmissionOrigin
from autograder.submissions.zips import unpack_class_zip
from tests.platforms.classes import entries, export_class, laid_out, result

# ------------------------------------------------------------------ attacks on readers


HONEST = {"lovelaceada_11111_90000_value.py": "hers"}


def test_a_number_of_thousands_of_digits_in_a_typed_text_stops_no_class(tmp_path: Path) -> None:
    typed = f"<p>x = 1</p><p>&#{'9' * 5000};</p>"
    laid_out(
        tmp_path,
        {
            "Ada Lovelace_2_assignsubmission_file_/value.py": "hers",
            "Mal_3_assignsubmission_onlinetext_/onlinetext.html": typed,
        },
    )
    found = entries(tmp_path)
    assert found["Ada Lovelace_2"] == {"value.py": "hers"}
    assert found["Mal_3"] == {"value.py": "x = 1\n\ufffd\n"}


@pytest.mark.parametrize("names", [("a", "a\\b"), ("a/b", "a\\b"), ("a/b/c", "a\\b")])
def test_files_that_cannot_lie_side_by_side_are_their_students_affair(tmp_path: Path, names: tuple[str, ...]) -> None:
    his = tmp_path / "Mal_3_assignsubmission_file_"
    laid_out(tmp_path, {"Ada Lovelace_2_assignsubmission_file_/value.py": "hers"})
    laid_out(his, {name: name for name in names})
    with open_class_submissions(tmp_path) as found:
        problems = {entry.name: entry.reading_problem for entry in found.entries}
    assert problems["Ada Lovelace_2"] == ""
    assert "cannot be put into one folder" in problems["Mal_3"]
    assert [(his / name).read_text() for name in names] == [*names], "the teacher's own copy was written to"


def test_folders_in_folders_without_end_stop_no_class(tmp_path: Path) -> None:
    laid_out(tmp_path, {"hw1-ada/.git/HEAD": "", "hw1-ada/value.py": "hers", "hw1-mal/.git/HEAD": ""})
    inside = os.open(tmp_path / "hw1-mal", os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("d", dir_fd=inside)
        inside, above = os.open("d", os.O_RDONLY, dir_fd=inside), inside
        os.close(above)
    try:
        with open_class_submissions(tmp_path) as found:
            assert [entry.name for entry in found.entries] == ["hw1-ada", "hw1-mal"]
    finally:
        for _ in range(1200):
            above = os.open("..", os.O_RDONLY, dir_fd=inside)
            os.close(inside)
            os.rmdir("d", dir_fd=above)
            inside = above
        os.close(inside)


@pytest.mark.parametrize("base", ["", "class/", "submitted/"])
def test_files_without_end_stop_no_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, base: str) -> None:
    monkeypatch.setattr(download, "MAX_PATHS_OF_A_STUDENT", 20)
    monkeypatch.setattr(download, "MAX_PATHS", 60)
    laid_out(tmp_path, {f"{base}mal/hw1/{folder}/{file}": "" for folder in range(20) for file in range(20)})
    laid_out(tmp_path, {f"{base}{one}/hw1/value.py": "" for one in ("ada", "zoe")})
    if base == "submitted/":
        laid_out(tmp_path, {"gradebook.db": ""})
    paths = Download(tmp_path).file_paths
    assert {f"{base}ada/hw1/value.py", f"{base}zoe/hw1/value.py"} <= set(paths)
    assert len(paths) < 60


def test_a_name_that_ends_as_a_second_one_of_the_same_takes_no_place(tmp_path: Path) -> None:
    for student in ("Ada", "ada", "ada~2"):
        laid_out(
            tmp_path, {f"{student}/hw1/timestamp.txt": "2026-11-02 10:00:00", f"{student}/hw1/value.py": student}
        )
    found = entries(tmp_path, "nbgrader")
    assert {name: files["value.py"] for name, files in found.items()} == {
        "Ada": "Ada", "ada~3": "ada", "ada~2": "ada~2"
    }  # fmt: skip


def test_a_line_end_in_a_name_hides_no_class_of_brightspace(tmp_path: Path) -> None:
    when = "Nov 3, 2026 1200 PM"
    laid_out(tmp_path, {f"12-34 - Mal\nory - {when}/value.py": "his", f"13-34 - Ada - {when}/value.py": "hers"})
    with open_class_submissions(tmp_path) as found:
        assert found.platform is not None
        assert found.platform.name == "brightspace"


def test_a_name_of_canvass_with_a_number_in_it_hides_no_class(tmp_path: Path) -> None:
    """Mallory is called ``x_7``: both files could be read as of the student 7, so each stands alone."""
    his = {"x_7_88888_90001_value.py": "his", "x_7_88888_90002_more.py": "more"}
    laid_out(tmp_path, {**HONEST, "smithbob_33333_90003_value.py": "bob's", **his})
    assert entries(tmp_path) == {
        "lovelaceada_11111": {"value.py": "hers"},
        "smithbob_33333": {"value.py": "bob's"},
        "x_7_88888": {"90001_value.py": "his"},
        "x_7_88888~2": {"90002_more.py": "more"},
    }


def test_a_name_of_canvass_made_of_anothers_and_her_id_adds_nothing_to_her_submission(tmp_path: Path) -> None:
    """Mallory, whose id is 22222, is called ``lovelaceada_11111``."""
    names = {**HONEST, "smithbob_33333_90001_value.py": "bob's", "lovelaceada_11111_22222_90002_value.py": "his"}
    assert entries(laid_out(tmp_path, names)) == {
        "lovelaceada_11111": {"value.py": "hers"},
        "smithbob_33333": {"value.py": "bob's"},
        "lovelaceada_11111_22222": {"90002_value.py": "his"},
    }


def test_a_student_may_begin_a_files_name_with_a_number_all_the_same(tmp_path: Path) -> None:
    names = {**HONEST, "smithbob_33333_90001_value.py": "bob's", "lovelaceada_11111_90002_102_notes.py": "too"}
    assert entries(laid_out(tmp_path, names))["lovelaceada_11111"] == {"value.py": "hers", "102_notes.py": "too"}


@pytest.mark.parametrize("folder", ["class", "hw1-submissions"])
def test_a_renamed_repository_takes_nobodys_login_and_spoils_none(tmp_path: Path, folder: str) -> None:
    names = [f"hw1-student{number}" for number in range(12)]
    laid_out(tmp_path / folder, {f"{name}/.git/HEAD": "" for name in (*names, "student3")})
    with open_class_submissions(tmp_path / folder) as found:
        logins = {entry.name: entry.origin.people[0].login for entry in found.entries if entry.origin}
    assert logins == {**{name: name.removeprefix("hw1-") for name in names}, "student3": ""}


def test_a_login_that_ends_as_anothers_takes_nothing_where_its_receipt_is_spoilt(tmp_path: Path) -> None:
    when = "attempt_2026-11-20-11-00-00"
    laid_out(
        tmp_path,
        {
            f"HW_1_ada_{when}.txt": "Name: Ada (ada)\nAssignment: HW 1\n\nFiles:\n",
            f"HW_1_ada_{when}_value.py": "hers",
            f"HW_1_x_ada_{when}.txt": bytes(10),
            f"HW_1_x_ada_{when}_value.py": "his",
        },
    )
    assert set(entries(tmp_path)) == {"ada_2026-11-20-11-00-00", "x_ada_2026-11-20-11-00-00"}


# ------------------------------------------------------------------ attacks on writers


BOOK = b"""\
Student,ID,SIS User ID,SIS Login ID,Section,HW1 (5)
    Points Possible,,,,,20
"Lovelace, Ada",11111,,,s,
"Smith, Bob",11112,,,s,
"""
GRADES_EXPORT = b"OrgDefinedId,Username,HW1 Points Grade <Numeric MaxPoints:20>,End-of-Line Indicator\r\n"
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
    made = export_class("brightspace", GRADES_EXPORT, *rows)
    assert names_in(made.files["feedback.zip"]) == [f"{folders[0]}/feedback.html"]
    assert any("a zip cannot store the folder's name" in sentence for sentence in made.unmatched)


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


@pytest.mark.parametrize("top", ["submitted/", "course/submitted/"])
def test_one_students_files_in_a_zip_of_a_course_leave_room_for_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, top: str
) -> None:
    monkeypatch.setattr("autograder.submissions.zips.MOST_OF_ONE", 1000)
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as packed:
        packed.writestr(f"{top.removesuffix('submitted/')}gradebook.db", "")
        packed.writestr(f"{top}a/hw1/large", bytes(900))
        packed.writestr(f"{top}a/hw1/larger", bytes(900))
        packed.writestr(f"{top}b/hw1/value.py", "x = 1\n" * 20)
    (tmp_path / "out").mkdir()
    unpacked = unpack_class_zip(tmp_path / "class.zip", tmp_path / "out", 1 << 20)
    assert [*unpacked.reason_by_unreadable_path] == [f"{top}a/hw1/larger"]
