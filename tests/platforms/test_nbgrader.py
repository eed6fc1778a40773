"""nbgrader: its submissions are read, its table and its feedback written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given as example
from hypothesis import strategies as st

from autograder.faults import CallerFault
from autograder.platforms import (
    ClassResults,
    Download,
    ExportOptions,
    ExportResult,
)
from autograder.platforms.nbgrader.class_export import HEADER, make_class_export
from autograder.platforms.nbgrader.reader import try_parse_timestamp
from autograder.submissions import Person
from tests.platforms.classes import EVERYBODYS, a_class, by_name, entries, kept_of, laid_out, result
from tests.platforms.nbgrader_course import COURSE, GOLDEN, READER, STAMP, WHEN, handed_in

# ------------------------------------------------------------------ nbgrader


LISTED = (
    {"student_id": "bitdiddle", "last_name": "Bitdiddle", "first_name": "Ben", "email": "ben@example.com"},
    {"student_id": "none", "last_name": "Nobody"},
    {"student_id": "hacker", "last_name": "van der Berg, Jr.", "first_name": "Alyssa", "email": "a@example.com"},
)


def the_class_of_the_golden() -> ClassResults:
    return a_class(
        result("bitdiddle", 4.5, handed_in("bitdiddle", WHEN, "hw1"), LISTED[0]),
        result("none", 0.0, None, LISTED[1]),
        result("hacker", 5.0, handed_in("hacker", WHEN, "hw1"), LISTED[2]),
        maximum=5.0,
    )


def test_the_table_is_what_nbgrader_itself_writes_but_for_commas_in_names() -> None:
    made = make_class_export(the_class_of_the_golden(), ExportOptions(settings={"duedate": "2026-11-20 23:59:00"}))
    assert made.files["grades.csv"] == GOLDEN.read_bytes().replace(b"Berg, Jr.", b"Berg  Jr.")


def test_a_table_of_nbgraders_with_the_same_scores_stays_as_it_is() -> None:
    made = make_class_export(the_class_of_the_golden(), ExportOptions(GOLDEN.read_bytes(), "grades.csv"))
    assert made.files["grades.csv"] == GOLDEN.read_bytes()
    assert not any(change.has_new_value for change in made.changes)
    assert not made.unmatched


def test_in_nbgraders_table_only_the_numbers_change_commas_in_names_or_not() -> None:
    class_ = a_class(result("hacker", 10.0, handed_in("hacker", WHEN, "hw1"), late=4.0), result("zoe", 1.0))
    made = make_class_export(class_, ExportOptions(GOLDEN.read_bytes(), "grades.csv", overwrite=EVERYBODYS))
    before, after = GOLDEN.read_text().splitlines(), made.files["grades.csv"].decode().splitlines()
    assert after[:3] == before[:3]
    assert after[3] == before[3].replace(",5.0,0.0,5.0,5.0", ",3.5,1.0,2.5,5.0")
    assert [(one.student, one.before, one.after) for one in made.changes] == [("hacker", "5.0", "2.5")]
    assert made.unmatched == ("zoe: zoe is not in grades.csv",)
    assert set(made.missing) == {"bitdiddle", "none"}


def test_other_assignments_rows_stay(tmp_path: Path) -> None:
    sheet = GOLDEN.read_bytes() + b"hw2,,,hacker,,,,0.0,0.0,0.0,7.0\r\n"
    made = make_class_export(
        a_class(result("hacker", 20.0)), ExportOptions(sheet, "grades.csv", {"assignment": "hw2"})
    )
    assert made.files["grades.csv"] == sheet.replace(b"0.0,0.0,0.0,7.0", b"7.0,0.0,7.0,7.0")


@pytest.mark.parametrize(
    ("sheet", "says"),
    [
        (b"a,b\n", r"grades\.csv:1: the header is not that of nbgrader's table"),
        (f"{HEADER}\nhw1,x\n".encode(), r"grades\.csv:2: the row has too few cells"),
        (f"{HEADER}\nhw1,,,hacker,,,,0,0,0,many\n".encode(), r"grades\.csv:2: max_score is not a number: 'many'"),
        (f"{HEADER}\nhw1,,,hacker,,,,0,0,0,inf\n".encode(), "max_score is not a number: 'inf'"),
        (f"{HEADER}\n".encode(), "has no row of this assignment"),
        (b"\xff", "is not UTF-8 text"),
    ],
)
def test_a_table_that_is_none_is_told_with_its_line(sheet: bytes, says: str) -> None:
    with pytest.raises(CallerFault, match=says):
        make_class_export(a_class(result("hacker", 1.0)), ExportOptions(sheet, "grades.csv"))


@example(st.text(), st.text())
def test_no_name_makes_another_row(last: str, email: str) -> None:
    row = {"student_id": "eve", "last_name": last, "email": email}
    made = make_class_export(a_class(result("eve", 10.0, None, row)), ExportOptions())
    header, line, end = made.files["grades.csv"].decode("utf-8", "surrogatepass").split("\n")
    assert (header, end) == (HEADER, "")
    cells = line.split(",")
    assert (cells[0], cells[3], cells[-2]) == ("hw1", "eve", "10.0")
    assert len(line.splitlines()) == 1


@pytest.mark.parametrize("student", ["a,b", "a\nhw1,,,b", ""])
def test_an_id_that_nbgrader_cannot_hold_is_told(student: str) -> None:
    made = make_class_export(a_class(result(student, 10.0)), ExportOptions())
    assert made.files["grades.csv"].decode() == f"{HEADER}\n"
    assert len(made.unmatched) == 1


def test_feedback_lies_where_nbgrader_looks_for_it() -> None:
    class_ = a_class(
        result("ada", 1.0, handed_in("ada"), files=("engine.ipynb", "helper.py")),
        result("bob", 1.0, handed_in("bob"), files=("value.py",)),
    )
    made = make_class_export(class_, ExportOptions())
    assert set(made.files) == {"grades.csv", "feedback/ada/ps1/engine.html", "feedback/bob/ps1/value.html"}


@pytest.mark.parametrize("student", ["..", "../x", "a/b", "a\\b", "/etc", "con"])
def test_no_feedback_leaves_its_folder(student: str) -> None:
    made = make_class_export(a_class(result(student, 1.0)), ExportOptions())
    assert set(made.files) == {"grades.csv"}


def test_an_id_that_is_no_text_stays_what_it_is_on_the_disk() -> None:
    made = make_class_export(a_class(result("J\udcf6rg", 1.0)), ExportOptions())
    assert b",J\xf6rg," in made.files["grades.csv"]


# ------------------------------------------------------------------ nbgrader reader


@pytest.mark.parametrize("below", ["", "submitted"])
def test_a_courses_folder_becomes_a_class(below: str, tmp_path: Path) -> None:
    laid_out(tmp_path / "course", COURSE | {"submitted/hacker/ps1/timestamp.txt": STAMP})
    found = entries(tmp_path / "course" / below)
    assert list(found) == ["bitdiddle", "hacker"]
    assert found["bitdiddle"] == {"value.ipynb": "{}"}
    assert found["hacker"].items() >= {"value.py": "x = 1", "lib/more.py": "y = 2"}.items()


def test_a_submission_says_whose_it_is_and_when_it_came(tmp_path: Path) -> None:
    found = by_name(READER.read(Download(laid_out(tmp_path, COURSE))))
    assert found["bitdiddle"].origin == handed_in("bitdiddle")
    assert found["hacker"].origin == handed_in("hacker", None)


def test_names_and_addresses_come_from_nbgraders_own_database(tmp_path: Path) -> None:
    place = laid_out(tmp_path, COURSE)
    database = (GOLDEN.parent / "gradebook.db").read_bytes()
    (place / "gradebook.db").write_bytes(database)
    found = by_name(READER.read(Download(place)))
    ada = Person("bitdiddle", "Bitdiddle, Ben", "ben@example.com", "bitdiddle")
    assert found["bitdiddle"].origin.people == (ada,)
    hacker = found["hacker"].origin
    assert hacker.people == (Person("hacker", "van der Berg, Jr., Alyssa", "a@example.com", "hacker"),)
    assert (place / "gradebook.db").read_bytes() == database
    table = make_class_export(a_class(result("hacker", 5.0, hacker)), ExportOptions()).files["grades.csv"]
    row = table.decode().splitlines()[1]
    assert row.split(",")[4:7] == ["van der Berg  Jr.", "Alyssa", "a@example.com"]


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0"])
def test_a_database_that_cannot_be_read_costs_names_alone(tmp_path: Path, content: bytes) -> None:
    place = laid_out(tmp_path, COURSE)
    (place / "gradebook.db").write_bytes(content)
    found = by_name(READER.read(Download(place)))
    assert found["bitdiddle"].origin == handed_in("bitdiddle")


def test_of_several_assignments_the_one_that_the_download_is_named_after_is_read(tmp_path: Path) -> None:
    two = {"submitted/ada/ps1/value.py": "", "submitted/ada/ps2/value.py": "", "submitted/bob/ps2/value.py": ""}
    found = by_name(READER.read(Download(laid_out(tmp_path / "x", two), tmp_path / "ps2.zip")))
    assert [one.origin.names for one in found.values()] == [("ada/ps2",), ("bob/ps2",)]


def test_several_assignments_without_a_hint_are_told_with_what_to_do(tmp_path: Path) -> None:
    two = laid_out(tmp_path / "course", {"submitted/ada/ps1/value.py": "", "submitted/ada/ps2/value.py": ""})
    with pytest.raises(CallerFault, match=r"several assignments: ps1, ps2 \(zip one of them.*'ps1.zip'"):
        list(READER.read(Download(two)))


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        (
            "2015-02-02 14:58:23.948203 America/Los_Angeles",
            datetime(2015, 2, 2, 14, 58, 23, 948203, tzinfo=ZoneInfo("America/Los_Angeles")),
        ),
        ("2015-02-02 14:58:23.948203 UTC\n", datetime(2015, 2, 2, 14, 58, 23, 948203, tzinfo=UTC)),
        ("2015-02-02 14:58:23", datetime(2015, 2, 2, 14, 58, 23, tzinfo=UTC)),
        ("2015-02-02T14:58:23Z", datetime(2015, 2, 2, 14, 58, 23, tzinfo=UTC)),
        ("2015-02-02 14:58 +0530", datetime(2015, 2, 2, 14, 58, tzinfo=timezone(timedelta(hours=5, minutes=30)))),
        ("2015-02-02 14:58:23-08:00", datetime(2015, 2, 2, 14, 58, 23, tzinfo=timezone(timedelta(hours=-8)))),
    ],
)
def test_a_timestamp_is_a_moment(written: str, moment: datetime) -> None:
    assert try_parse_timestamp(written.encode()) == moment


@pytest.mark.parametrize(
    "written",
    [
        "",
        "yesterday",
        "2015-02-31 14:58:23 UTC",
        "2015-02-02 14:58:23 Mars/Base",
        "2015-02-02 14:58:23 PDT",
        "2015-02-02 14:58:23 ../../etc/passwd",
        "2015-02-02 14:58:23 /etc/localtime",
        "2015-02-02 14:58 +99:99",
        "0001-01-01 00:00:00 +14:00",
        "9999-12-31 23:59:59 -12:00",
    ],
)
def test_a_timestamp_that_is_none_is_not_guessed_at(written: str) -> None:
    assert try_parse_timestamp(written.encode()) is None


@example(st.binary(max_size=300))
def test_a_timestamp_may_hold_anything(content: bytes) -> None:
    moment = try_parse_timestamp(content)
    assert moment is None or moment.tzinfo is not None


def test_a_folder_within_a_submission_poses_as_nobody(tmp_path: Path) -> None:
    nested = {"submitted/eve/ps1/submitted/ada/ps1/value.py": "", "submitted/eve/ps1/bob/ps1/value.py": ""}
    (found,) = READER.read(Download(laid_out(tmp_path, nested)))
    assert found.name == "eve"


def test_a_link_is_nobodys_submission(tmp_path: Path) -> None:
    laid_out(tmp_path, COURSE)
    (tmp_path / "submitted" / "eve").symlink_to(tmp_path / "submitted" / "bitdiddle")
    assert set(by_name(READER.read(Download(tmp_path)))) == {"bitdiddle", "hacker"}


def test_what_is_no_such_tree_is_told(tmp_path: Path) -> None:
    with pytest.raises(CallerFault, match="holds no submitted/<student>/<assignment>/"):
        list(READER.read(Download(laid_out(tmp_path, {"ada.py": ""}))))


# ------------------------------------------------------------------ nbgrader marks


def table_of(*scores: float) -> bytes:
    rows = [f"hw1,,,{student},,,,{score},0.0,{score},20.0" for student, score in zip("abc", scores, strict=False)]
    return "\n".join([HEADER, *rows, ""]).encode()


def of_three(points: float, table: bytes, **more: Any) -> ExportResult:
    class_ = a_class(*(result(student, points) for student in "abc"))
    return make_class_export(class_, ExportOptions(table, "grades.csv", **more))


def test_a_table_straight_from_nbgrader_which_imports_no_marks_is_filled_in_again() -> None:
    first = of_three(15.8, table_of(0.0, 0.0, 0.0))
    made = of_three(16.5, table_of(0.0, 0.0, 0.0), written=kept_of(first))
    assert made.files["grades.csv"] == table_of(16.5, 16.5, 16.5)


def test_the_very_table_that_was_filled_in_may_be_filled_in_again() -> None:
    given = {"sheet_state": "digest 1"}
    first = of_three(15.8, table_of(0.0, 4.0, 4.0), overwrite=EVERYBODYS, **given)
    made = of_three(16.5, table_of(0.0, 4.0, 4.0), written=kept_of(first), **given)
    assert made.files["grades.csv"] == table_of(16.5, 4.0, 4.0)
