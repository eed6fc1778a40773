"""A batch and a report take hand-in times from Moodle's worksheet."""

from __future__ import annotations

import csv
import json
import zipfile
from pathlib import Path

import pytest

from tests.cli.commands import run, succeeded, told, unwrapped
from tests.platforms.moodle_class import GOLDEN
from tests.platforms.moodle_times import (
    ADA,
    BOB,
    submitted,
)
from tests.toy import RIGHT, write_toy

DUE = """\
    deadline: 2026-11-20 14:18
    late: {percent_per_day: 10}
"""


@pytest.fixture
def moodle_class_of_two(tmp_path: Path) -> Path:
    """A class of two as Moodle packs it: Ada is in time, in the last minute, and Bob is late."""
    place = write_toy(tmp_path, DUE)
    with zipfile.ZipFile(place / "hw.zip", "w") as packed:
        for name in (ADA, BOB):
            packed.writestr(f"{name}_assignsubmission_file/value.py", RIGHT)
    (place / "sheet.csv").write_bytes(submitted(bob="Friday, 20 November 2026, 2:19 PM"))
    return place


def batch(place: Path, *arguments: str) -> str:
    return succeeded(run("batch", "toy", "hw.zip", "--from", "moodle", "--out", "out", *arguments, cwd=place))


def gradebook(place: Path) -> dict[str, tuple[str, str, str]]:
    with (place / "out" / "gradebook.csv").open(encoding="utf-8-sig", newline="") as file:
        return {
            row["submission"]: (row["final_score"], row["handed_in"], row["student"]) for row in csv.DictReader(file)
        }


LATE = {
    ADA: ("10", "2026-11-20T14:18:00+01:00", "2"),
    BOB: ("9", "2026-11-20T14:19:00+01:00", "4"),
}


def test_a_batch_takes_times_from_the_worksheet_and_its_minutes_as_just_begun(moodle_class_of_two: Path) -> None:
    said = unwrapped(batch(moodle_class_of_two, "--submission-times", "sheet.csv"))
    assert gradebook(moodle_class_of_two) == LATE
    assert "late:1submission" in said
    assert "submissiontimesofsheet.csvarereadinthetimezoneEurope/Berlin" in said
    assert "withoutasubmissionhere:JoséMaríaÑandú-O'Brien(6)" in said


def test_a_report_takes_times_from_the_worksheet_afterwards(moodle_class_of_two: Path) -> None:
    batch(moodle_class_of_two)
    assert gradebook(moodle_class_of_two)[BOB][0] == "10"
    said = succeeded(run("report", "--out", "out", "--submission-times", "sheet.csv", cwd=moodle_class_of_two))
    assert "submissiontimesofsheet.csvarereadinthetimezoneEurope/Berlin" in unwrapped(said)
    assert gradebook(moodle_class_of_two) == LATE


def test_a_student_goes_by_the_roster_s_name(moodle_class_of_two: Path) -> None:
    (moodle_class_of_two / "students.csv").write_text(
        "student,name\nada,Ada Lovelace\nbob,Bob Builder\n", encoding="utf-8"
    )
    batch(moodle_class_of_two, "--submission-times", "sheet.csv", "--roster", "students.csv")
    assert {name: row[2] for name, row in gradebook(moodle_class_of_two).items()} == {ADA: "ada", BOB: "bob"}


def test_a_program_that_grades_is_told_the_zone(moodle_class_of_two: Path) -> None:
    *_, last = batch(moodle_class_of_two, "--submission-times", "sheet.csv", "--json-lines").splitlines()
    assert "submission times of sheet.csv are read in the time zone Europe/Berlin" in json.dumps(json.loads(last))


def test_nothing_is_graded_by_a_worksheet_that_cannot_be_read(moodle_class_of_two: Path) -> None:
    (moodle_class_of_two / "sheet.csv").write_bytes(submitted(bob="11/20/2026 14:19"))
    done = run("batch", "toy", "hw.zip", "--out", "out", "--submission-times", "sheet.csv", cwd=moodle_class_of_two)
    assert "sheet.csv:3: the date '11/20/2026 14:19' is not a date in any language that fits the column" in told(done)
    assert not (moodle_class_of_two / "out").exists()


def test_a_table_that_is_no_worksheet_is_read_as_before(moodle_class_of_two: Path) -> None:
    (moodle_class_of_two / "times.csv").write_text(
        f"submission,student,handed_in\n{BOB},4,2026-11-20 14:19\n", encoding="utf-8"
    )
    batch(moodle_class_of_two, "--submission-times", "times.csv")
    assert gradebook(moodle_class_of_two)[BOB] == LATE[BOB]
    (moodle_class_of_two / "times.csv").write_bytes((GOLDEN / "upload_minimal.csv").read_bytes())
    done = run("batch", "toy", "hw.zip", "--out", "out", "--submission-times", "times.csv", cwd=moodle_class_of_two)
    assert "times.csv:1: the table has no column submission" in told(done)
