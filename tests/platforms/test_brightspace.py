"""Brightspace: its downloads come in, its grades and its feedback go out."""

from __future__ import annotations

import csv
import io
import zipfile
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given as example
from hypothesis import strategies as st

from autograder.faults import CallerFault
from autograder.platforms import Download, ExportOptions
from autograder.platforms.brightspace import FOLDER, NAME, BrightspaceDownloadReader, make_class_export
from autograder.submissions import Person, SubmissionOrigin
from tests.platforms.classes import EVERYBODYS, a_class, by_name, entries, laid_out, result

JOHNNY = "840137-90210 - Johnny Cache - Sep 12, 2015 6:31 PM"
READER = BrightspaceDownloadReader()
EXPORTED = (
    "OrgDefinedId,Username,Last Name,First Name,Email,"
    "HW1 Points Grade <Numeric MaxPoints:10 Weight:5 Category:Labs CategoryWeight:50>,"
    '"HW2, part ""b"" Points Grade <Numeric MaxPoints:20>",End-of-Line Indicator\r\n'
    "#1001,#ada,Lovelace,Ada,ada@example.com,5,,#\r\n"
    "#1002,#bob,Smith,Bob,bob@example.com,,3,#\r\n"
    "#1003,#jane1,Doe,Jane,jane1@example.com,7,,#\r\n"
    "#1004,#jane2,Doe,Jane,jane2@example.com,,,#\r\n"
    '#1005,#kim,"O\'Brien, jr",Kim,kim@example.com,10,,#\r\n'
)


def from_download(name: str, folder: str = JOHNNY) -> SubmissionOrigin:
    return SubmissionOrigin(NAME, (Person("840137", name),), names=(folder,))


def table(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode(), newline="")))


# In


def test_a_download_becomes_a_class_and_its_overview_is_no_submission(tmp_path: Path) -> None:
    place = laid_out(tmp_path, {"index.html": "<p>", f"{JOHNNY}/value.py": "x = 1", f"{JOHNNY}/lib/a.py": "y = 2"})
    assert entries(place) == {
        "Johnny Cache_840137-90210_2015-09-12_18-31": {"value.py": "x = 1", "lib/a.py": "y = 2"}
    }


def test_a_folder_says_who_and_when(tmp_path: Path) -> None:
    (found,) = READER.read(Download(laid_out(tmp_path, {f"{JOHNNY}/value.py": ""})))
    assert found.origin == SubmissionOrigin(
        NAME,
        (Person("840137", "Johnny Cache"),),
        handed_in=datetime(2015, 9, 12, 18, 31),
        attempt="2015-09-12 18:31",
        names=(JOHNNY,),
    )


@pytest.mark.parametrize(
    ("written", "hour", "minute"),
    [
        ("6:31 PM", 18, 31),
        ("6_31 PM", 18, 31),
        ("631 PM", 18, 31),
        ("1131 AM", 11, 31),
        ("111 AM", 1, 11),
        ("12:00 AM", 0, 0),
        ("12:05 PM", 12, 5),
    ],
)
def test_a_time_is_read_as_systems_leave_it(written: str, hour: int, minute: int, tmp_path: Path) -> None:
    laid_out(tmp_path, {f"7-8 - Ada - September 2, 2015 {written}/value.py": ""})
    (found,) = READER.read(Download(tmp_path))
    assert found.origin.handed_in == datetime(2015, 9, 2, hour, minute)


@pytest.mark.parametrize("written", ["Feb 30, 2015 6:31 PM", "Foo 3, 2015 6:31 PM", "Sep 3, 2015 9:99 PM"])
def test_a_time_that_is_none_leaves_the_submission_without_one(written: str, tmp_path: Path) -> None:
    laid_out(tmp_path, {f"7-8 - Ada - {written}/value.py": "x = 1"})
    (found,) = READER.read(Download(tmp_path))
    assert found.origin.handed_in is None
    assert found.files


def test_several_attempts_of_a_student_are_several_submissions(tmp_path: Path) -> None:
    again = JOHNNY.replace("6:31", "7:02")
    found = by_name(READER.read(Download(laid_out(tmp_path, {f"{one}/value.py": "" for one in (JOHNNY, again)}))))
    assert {one.origin.people[0].id for one in found.values()} == {"840137"}
    assert sorted(one.origin.attempt for one in found.values()) == ["2015-09-12 18:31", "2015-09-12 19:02"]


def test_a_name_that_ends_like_a_time_does_not_change_when_it_was_handed_in(tmp_path: Path) -> None:
    laid_out(tmp_path, {"7-8 - Eve - Jan 1, 2000 1:00 AM - Sep 12, 2015 6:31 PM/value.py": ""})
    (found,) = READER.read(Download(tmp_path))
    assert found.origin.handed_in == datetime(2015, 9, 12, 18, 31)
    assert found.origin.people == (Person("7", "Eve - Jan 1, 2000 1:00 AM"),)


def test_a_folder_within_a_submission_poses_as_nobody(tmp_path: Path) -> None:
    place = laid_out(tmp_path, {f"7-8 - Eve - Sep 12, 2015 6:31 PM/{JOHNNY}/value.py": "x = 1"})
    (found,) = READER.read(Download(place))
    assert found.origin.people == (Person("7", "Eve"),)
    assert list(found.files) == [f"{JOHNNY}/value.py"]


def test_what_is_none_of_brightspaces_is_told(tmp_path: Path) -> None:
    place = laid_out(tmp_path, {f"{JOHNNY}/value.py": "", "bob/value.py": ""})
    with pytest.raises(CallerFault, match="'bob' is not named as in a Brightspace download"):
        list(READER.read(Download(place)))


@example(st.text(min_size=1).filter(lambda name: "\n" not in name))
def test_whatever_a_name_holds_its_id_and_time_are_brightspaces(name: str) -> None:
    found = FOLDER.fullmatch(f"7-8 - {name} - Sep 12, 2015 6:31 PM")
    assert found is not None
    assert (found["user"], found["name"], found["month"], found["minute"]) == ("7", name, "Sep", "31")


# Out


def test_only_rows_that_change_are_written_under_the_header_as_it_was() -> None:
    class_ = a_class(
        result("a", 20, None, {"student": "x", "OrgDefinedId": "1001"}),
        result("b", 7, None, {"student": "bob"}),
        result("k", 20, from_download("Kim O'Brien, jr")),
    )
    made = make_class_export(class_, ExportOptions(EXPORTED.encode(), "grades.csv", overwrite=EVERYBODYS))
    assert made.files["grades.csv"].decode() == (
        "OrgDefinedId,Username,"
        "HW1 Points Grade <Numeric MaxPoints:10 Weight:5 Category:Labs CategoryWeight:50>,End-of-Line Indicator\r\n"
        "#1001,#ada,10,#\r\n"
        "#1002,#bob,3.5,#\r\n"
    )
    assert [(one.before, one.after) for one in made.changes] == [("5", "10"), ("", "3.5"), ("10", "10")]
    assert made.missing == ("jane1", "jane2")


def test_a_column_is_chosen_by_its_title_and_written_as_it_stood() -> None:
    given = ExportOptions(EXPORTED.encode(), "grades.csv", {"column": 'HW2, part "b"'}, overwrite=EVERYBODYS)
    made = make_class_export(a_class(result("b", 7, None, {"student": "bob"})), given)
    assert table(made.files["grades.csv"])[0][2] == 'HW2, part "b" Points Grade <Numeric MaxPoints:20>'
    assert table(made.files["grades.csv"])[1] == ["#1002", "#bob", "7", "#"]


@pytest.mark.parametrize(("column", "title"), [("HW3", "HW1"), ("", "Value"), ("", "HW")])
def test_no_column_or_several_is_told_with_those_that_there_are(column: str, title: str) -> None:
    class_ = a_class(title=title, name="engine")
    with pytest.raises(CallerFault, match=r"columns? for .*--set column=.*'HW1', 'HW2, part"):
        make_class_export(class_, ExportOptions(EXPORTED.encode(), "grades.csv", {"column": column}))


def test_two_students_of_one_name_are_told_apart_or_left_out() -> None:
    class_ = a_class(result("jane", 5, from_download("Jane Doe")), result("k", 4, from_download("Kim O'Brien, jr")))
    made = make_class_export(class_, ExportOptions(EXPORTED.encode(), "grades.csv", overwrite=EVERYBODYS))
    assert made.unmatched == ("jane: no row or several rows of grades.csv match Jane Doe",)
    assert table(made.files["grades.csv"])[1:] == [["#1005", "#kim", "2", "#"]]


def test_somebody_of_the_list_gets_no_grade_of_a_namesake() -> None:
    row = {"student": "bob2", "username": "bob2", "first name": "Bob", "last name": "Smith"}
    made = make_class_export(a_class(result("b", 7, None, row)), ExportOptions(EXPORTED.encode(), "grades.csv"))
    assert made.unmatched == ("b: no row or several rows of grades.csv match bob2",)
    assert len(table(made.files["grades.csv"])) == 1


@pytest.mark.parametrize("name", ["Ada Lovelace", "Lovelace, Ada", "lovelace ada", "ADA LOVELACE"])
def test_a_name_is_found_in_the_ways_that_it_is_written(name: str) -> None:
    made = make_class_export(
        a_class(result("a", 20, from_download(name))),
        ExportOptions(EXPORTED.encode(), "grades.csv", overwrite=EVERYBODYS),
    )
    assert table(made.files["grades.csv"])[1:] == [["#1001", "#ada", "10", "#"]]


def test_brightspaces_own_number_for_a_person_is_no_orgdefinedid() -> None:
    origin = SubmissionOrigin(NAME, (Person("1001", "Somebody Else"),))
    made = make_class_export(a_class(result("b", 7, origin)), ExportOptions(EXPORTED.encode(), "grades.csv"))
    assert len(made.unmatched) == 1


def test_without_a_table_the_staff_hears_where_to_get_it() -> None:
    with pytest.raises(CallerFault, match=r"the table of grades is missing \(export it in Grades.*--gradebook"):
        make_class_export(a_class(result("a", 1)), ExportOptions())


def test_a_teams_grade_goes_to_everybody_in_it() -> None:
    class_ = a_class(result("team", 20, None, {"student": "ada"}, {"student": "bob"}))
    made = make_class_export(class_, ExportOptions(EXPORTED.encode(), "grades.csv", overwrite=EVERYBODYS))
    assert [row[1] for row in table(made.files["grades.csv"])[1:]] == ["#ada", "#bob"]


def test_a_sheet_without_a_key_is_told() -> None:
    with pytest.raises(CallerFault, match="the table has no column OrgDefinedId or Username"):
        make_class_export(a_class(), ExportOptions(b"Name,HW1 Points Grade\r\n", "grades.csv"))


def test_feedback_lies_in_the_folders_of_the_download() -> None:
    class_ = a_class(
        result("a", 5, from_download("Johnny Cache")), result("b", 5, SubmissionOrigin("canvas", names=("x",)))
    )
    made = make_class_export(class_, ExportOptions(EXPORTED.encode(), "grades.csv"))
    with zipfile.ZipFile(io.BytesIO(made.files["feedback.zip"])) as packed:
        assert packed.namelist() == [f"{JOHNNY}/feedback.html"]
        assert packed.read(packed.namelist()[0]).startswith(b"<!")


def test_a_folder_whose_name_is_no_text_gets_no_feedback_and_is_told() -> None:
    class_ = a_class(result("j", 5, from_download("J\udcf6rg", JOHNNY.replace("o", "\udcf6"))))
    made = make_class_export(class_, ExportOptions(EXPORTED.encode(), "grades.csv"))
    assert set(made.files) == {"grades.csv"}
    assert any("no feedback" in sentence for sentence in made.unmatched)
