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
def place(tmp_path: Path) -> Path:
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


def test_a_batch_takes_times_from_the_worksheet_and_its_minutes_as_just_begun(place: Path) -> None:
    said = unwrapped(batch(place, "--submission-times", "sheet.csv"))
    assert gradebook(place) == LATE
    assert "late:1submission" in said
    assert "submissiontimesofsheet.csvarereadinthetimezoneEurope/Berlin" in said
    assert "nosubmissionhere:JoséMaríaÑandú-O'Brien(6)" in said


def test_a_report_takes_times_from_the_worksheet_afterwards(place: Path) -> None:
    batch(place)
    assert gradebook(place)[BOB][0] == "10"
    said = succeeded(run("report", "--out", "out", "--submission-times", "sheet.csv", cwd=place))
    assert "submissiontimesofsheet.csvarereadinthetimezoneEurope/Berlin" in unwrapped(said)
    assert gradebook(place) == LATE


def test_a_student_goes_by_the_roster_s_name(place: Path) -> None:
    (place / "students.csv").write_text("student,name\nada,Ada Lovelace\nbob,Bob Builder\n", encoding="utf-8")
    batch(place, "--submission-times", "sheet.csv", "--roster", "students.csv")
    assert {name: row[2] for name, row in gradebook(place).items()} == {ADA: "ada", BOB: "bob"}


def test_a_program_that_grades_is_told_the_zone(place: Path) -> None:
    *_, last = batch(place, "--submission-times", "sheet.csv", "--json-lines").splitlines()
    assert "submission times of sheet.csv are read in the time zone Europe/Berlin" in json.dumps(json.loads(last))


def test_nothing_is_graded_by_a_worksheet_that_cannot_be_read(place: Path) -> None:
    (place / "sheet.csv").write_bytes(submitted(bob="11/20/2026 14:19"))
    done = run("batch", "toy", "hw.zip", "--out", "out", "--submission-times", "sheet.csv", cwd=place)
    assert "sheet.csv:3: the date '11/20/2026 14:19' is not a date in any language that fits the column" in told(done)
    assert not (place / "out").exists()


def test_a_table_that_is_no_worksheet_is_read_as_before(place: Path) -> None:
    (place / "times.csv").write_text(f"submission,student,handed_in\n{BOB},4,2026-11-20 14:19\n", encoding="utf-8")
    batch(place, "--submission-times", "times.csv")
    assert gradebook(place)[BOB] == LATE[BOB]
    (place / "times.csv").write_bytes((GOLDEN / "upload_minimal.csv").read_bytes())
    done = run("batch", "toy", "hw.zip", "--out", "out", "--submission-times", "times.csv", cwd=place)
    assert "times.csv:1: has no column submission" in told(done)
