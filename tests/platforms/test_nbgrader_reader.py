"""nbgrader's tree of submissions comes in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given as example
from hypothesis import strategies as st

from autograder.faults import CallerFault
from autograder.platforms import (
    Download,
    ExportOptions,
)
from autograder.platforms.nbgrader.class_export import make_class_export
from autograder.platforms.nbgrader.reader import try_parse_timestamp
from autograder.submissions import Person
from tests.platforms.classes import AWKWARD, a_class, by_name, entries, laid_out, result
from tests.platforms.nbgrader_course import COURSE, GOLDEN, READER, STAMP, handed_in


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


@pytest.mark.parametrize("name", AWKWARD)
def test_any_name_is_read_back(name: str, tmp_path: Path) -> None:
    (found,) = READER.read(Download(laid_out(tmp_path, {f"submitted/{name}/ps1/value.py": ""})))
    assert (found.name, found.origin.people) == (name, (Person(name, login=name),))


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


@pytest.mark.parametrize(
    "files",
    [
        ["ada/value.py", "bob/value.py"],
        ["ada/ps1/value.py", "bob/ps1/value.py"],
        ["ada/ps1/timestamp.txt", "bob/ps1/value.py"],
        ["ada/ps1/timestamp.txt", "bob.py"],
        ["submitted/ada/value.py", "source/x.py"],
        ["submitted/ada/ps1/value.py"],
        [],
    ],
)
def test_a_plain_folder_is_not_taken_for_one(files: list[str], tmp_path: Path) -> None:
    assert not READER.recognises(Download(laid_out(tmp_path, dict.fromkeys(files, ""))))


def test_what_is_no_such_tree_is_told(tmp_path: Path) -> None:
    with pytest.raises(CallerFault, match="holds no submitted/<student>/<assignment>/"):
        list(READER.read(Download(laid_out(tmp_path, {"ada.py": ""}))))
