"""From Moodle's worksheet each student has the right hand-in time, or none and a word."""

from __future__ import annotations

import csv
import json
import re
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from autograder.faults import CallerFault
from autograder.platforms.common.opened_submissions import open_class_submissions
from autograder.platforms.moodle.submission_times import looks_like_grading_worksheet, read_worksheet_times
from autograder.submissions import Person, SubmissionOrigin
from autograder.tables import EditableCsv
from tests.cli.commands import run, succeeded, told, unwrapped
from tests.platforms.moodle_class import GOLDEN
from tests.platforms.moodle_times import (
    ADA,
    BERLIN,
    BLIND,
    BOB,
    GOLDEN_TIME,
    NOW,
    PLAIN,
    TEAMS,
    find_refusal,
    origin,
    read_times,
    submitted,
)
from tests.toy import RIGHT, write_toy

# ------------------------------------------------------------------ moodle times


@pytest.mark.parametrize("download", ["plain_folders0.zip", "plain_folders1.zip"])
def test_everybody_of_a_real_download_has_the_time_of_its_real_worksheet(download: str) -> None:
    said: list[str] = []
    with open_class_submissions(GOLDEN / download, "moodle") as found:
        class_ = {entry.name: entry.origin for entry in found.entries}
    assert len(class_) == 5
    got = read_worksheet_times(EditableCsv(PLAIN, "sheet.csv"), class_, BERLIN, NOW, said.append)
    assert got == dict.fromkeys(class_, GOLDEN_TIME)
    assert said == [
        "submission times of sheet.csv are read in the time zone Europe/Berlin, "
        "which must be the zone that Moodle shows to you"
    ]


def test_hidden_names_go_by_number() -> None:
    names = ("Participant_7", "Participant_11")
    assert read_times(BLIND, *names) == dict.fromkeys(names, GOLDEN_TIME)


def test_who_is_not_in_the_worksheet_or_has_no_time_in_it_is_told() -> None:
    said: list[str] = []
    assert read_times(PLAIN, ADA, "Eve Other_99", "No Submission_3", said=said) == {ADA: GOLDEN_TIME}
    assert said[1] == (
        "no time in sheet.csv, so never late: "
        "Eve Other_99 (no row of this participant or team), No Submission_3 (no time in its row)"
    )


def test_a_time_of_somebody_without_a_submission_is_told_and_a_row_without_a_time_is_not() -> None:
    said: list[str] = []
    read_times(BLIND, "Participant_7", said=said)
    assert said[1:] == ["sheet.csv has times for students without a submission here: Participant (11)"]


def test_names_that_the_download_alone_hides_go_by_number() -> None:
    assert read_times(PLAIN, "Participant_2") == {"Participant_2": GOLDEN_TIME}


@pytest.mark.parametrize("name", ["Eve Mallory_2", "Ada Lovelace_4"], ids=["another name", "another's number"])
def test_a_number_with_another_s_name_gets_no_time(name: str) -> None:
    said: list[str] = []
    assert read_times(PLAIN, ADA, name, said=said) == {ADA: GOLDEN_TIME}
    assert f"{name} (no row of this participant or team)" in said[1]


REFUSAL = r"is in the worksheet \(name that of these submissions: is this the worksheet of another course"


def test_somebody_of_the_same_name_in_another_assignment_s_worksheet_gets_no_time() -> None:
    with pytest.raises(CallerFault, match=REFUSAL):
        read_times(PLAIN, "Ada Lovelace_70")


def test_a_plain_folder_gets_no_time_although_it_is_called_as_a_student() -> None:
    class_: Mapping[str, SubmissionOrigin | None] = {ADA: None, "ada": SubmissionOrigin("", names=("ada",))}
    with pytest.raises(CallerFault, match=REFUSAL):
        read_worksheet_times(EditableCsv(PLAIN, "sheet.csv"), class_, BERLIN, NOW, lambda line: None)


def test_a_team_has_the_time_of_its_members() -> None:
    said: list[str] = []
    got = read_times(TEAMS, "Team Red_5", "Team Blue_6", said=said)
    assert got == {"Team Red_5": GOLDEN_TIME, "Team Blue_6": GOLDEN_TIME + timedelta(hours=1)}
    assert len(said) == 1


def test_a_team_that_the_worksheet_does_not_name_or_whose_members_differ_gets_no_time() -> None:
    said: list[str] = []
    differing = TEAMS.replace("Team Blue", "Team Red")
    assert read_times(differing, "Team Red_5", "Team Green_9", said=said) == {}
    assert said[1] == (
        "no time in sheet.csv, so never late: "
        "Team Red_5 (its rows have different times), Team Green_9 (no row of this participant or team)"
    )


def test_a_team_that_is_called_as_its_member_gets_no_time() -> None:
    called_so = TEAMS.replace("Team Red", "Ada Lovelace")
    with pytest.raises(CallerFault, match=REFUSAL):
        read_times(called_so, "Ada Lovelace_5")


# ------------------------------------------------------------------ moodle times columns


SHEETS = {path.stem: path.read_bytes() for path in sorted((GOLDEN / "worksheets").glob("*-*.csv"))}
LATER = datetime(2026, 11, 24, tzinfo=UTC)


def class_of(sheet: EditableCsv) -> dict[str, SubmissionOrigin]:
    """A download of everybody in a worksheet, with names hidden: by number alone."""
    numbered = [re.fullmatch(r"(.*?)(\d+)", row.cells[0]) for row in sheet.rows[1:]]
    return {one[2]: SubmissionOrigin("moodle", (Person(one[2], one[1].strip()),)) for one in numbered if one}


@pytest.mark.parametrize("name", [name for name in SHEETS if name != "gradebook-en"])
def test_a_real_worksheet_is_known_in_every_language(name: str) -> None:
    assert looks_like_grading_worksheet(EditableCsv(SHEETS[name], name))


def read_graded(language: str) -> dict[str, datetime]:
    sheet = EditableCsv(SHEETS[f"graded-{language}"], "sheet.csv")
    return read_worksheet_times(sheet, class_of(sheet), BERLIN, LATER, lambda line: None)


def test_a_real_worksheet_says_the_times_of_everybody_who_handed_in() -> None:
    assert len(read_graded("en")) == 17


@pytest.mark.parametrize("language", ["ar", "de", "es", "eu", "fr", "ja", "zh_cn"])
def test_a_worksheet_in_another_language_is_refused_with_how_to_get_one_in_english(language: str) -> None:
    with pytest.raises(CallerFault, match=r"can only be read in English \(set your language in Moodle to English"):
        read_graded(language)


def test_a_team_has_its_time_in_a_real_worksheet_of_teams() -> None:
    sheet = EditableCsv(SHEETS["teams-en"], "sheet.csv")
    teams = {
        name: origin(name) for name in ("Team Red 1_1", "Team Blue_60", "Sam Smith_56", "Grün, Gelb amp; OBlau_4")
    }
    got = read_worksheet_times(sheet, teams, BERLIN, LATER, lambda line: None)
    assert got == dict.fromkeys(teams, datetime(2026, 11, 20, 10, 59, tzinfo=BERLIN)) | {
        "Sam Smith_56": datetime(2026, 11, 22, 10, 59, tzinfo=BERLIN)
    }


@pytest.mark.parametrize(
    "written",
    [
        "Friday, November 20, 2026, 2:18 PM",
        "Friday, 20 November 2026, 14:18",
        "FRIDAY,\u00a020\u00a0November 2026, 2:18\u202fPM",
        "2026-11-20 14:18",
    ],
)
def test_every_english_of_moodle_says_the_same_minute(written: str) -> None:
    assert read_times(submitted(ada=written), ADA) == {ADA: GOLDEN_TIME}


@pytest.mark.parametrize(("hour", "written"), [(0, "12:18 AM"), (12, "12:18 PM"), (11, "11:18 AM")])
def test_noon_and_midnight_are_where_they_belong(hour: int, written: str) -> None:
    times = read_times(submitted(ada=f"Friday, 20 November 2026, {written}"), ADA)
    assert times == {ADA: GOLDEN_TIME.replace(hour=hour)}


def test_a_date_that_cannot_be_read_is_told_with_its_line() -> None:
    said = find_refusal(submitted(bob="Friday, 20 Movember 2026, 2:18 PM"))
    assert said.startswith(
        "sheet.csv:3: the time 'Friday, 20 Movember 2026, 2:18 PM' is not an English date (set your language"
    )


def test_a_time_in_the_future_is_told_with_its_line() -> None:
    said = find_refusal(submitted(bob="Sunday, 22 November 2026, 2:18 PM"))
    assert said.startswith("sheet.csv:3: the time 'Sunday, 22 November 2026, 2:18 PM' lies in the future")


def test_a_time_that_clocks_skip_is_told_with_its_line() -> None:
    said = find_refusal(submitted(ada="Sunday, 29 March 2026, 2:18 AM"))
    assert said.startswith(
        "sheet.csv:2: cannot read the time 'Sunday, 29 March 2026, 2:18 AM': "
        "the time 2026-03-29 02:18 does not exist: clocks in Europe/Berlin"
    )


def test_of_a_time_that_clocks_show_twice_the_earlier_counts() -> None:
    (moment,) = read_times(submitted(ada="Sunday, 25 October 2026, 2:18 AM"), ADA).values()
    assert moment.astimezone(UTC) == datetime(2026, 10, 25, 0, 18, tzinfo=UTC)


def test_without_a_time_zone_in_grading_yml_no_time_is_read() -> None:
    with pytest.raises(
        CallerFault, match=r"sheet.csv: the worksheet's times have no time zone \(name it in grading.yml"
    ):
        read_worksheet_times(EditableCsv(PLAIN, "sheet.csv"), {}, None, NOW, lambda line: None)


@pytest.mark.parametrize(
    ("table", "holds"),
    [
        (PLAIN, True),
        (BLIND, True),
        (TEAMS.encode(), True),
        ((GOLDEN / "upload_worksheet.csv").read_bytes(), True),
        ((GOLDEN / "gradebook_export.csv").read_bytes(), False),
        ((GOLDEN / "upload_minimal.csv").read_bytes(), False),
        (PLAIN.splitlines()[0], False),
        (b"submission,student,handed_in\nAda 2,ada,2026-11-20 14:18\n", False),
        (b"submission,student,handed_in,a,b,c,d,e\nada_2,ada,2026-11-20 14:18,,,,,\n", False),
    ],
)
def test_a_worksheet_is_known_by_its_shape(table: bytes, holds: bool) -> None:
    assert looks_like_grading_worksheet(EditableCsv(table, "table.csv")) == holds


@pytest.mark.parametrize("name", ["Teilnehmer/in", "参加者", "المشارك"])
def test_a_worksheet_whose_language_has_no_space_before_the_number_says_the_same_times(name: str) -> None:
    sheet = submitted(bob="Friday, 20 November 2026, 2:19 PM")
    written = sheet.decode("utf-8-sig").replace("Participant ", name)
    assert written.count(name) > 2
    assert read_times(written, ADA, BOB) == read_times(sheet, ADA, BOB) == {
        ADA: GOLDEN_TIME, BOB: GOLDEN_TIME + timedelta(minutes=1)
    }  # fmt: skip


# ------------------------------------------------------------------ moodle times in batches


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


LATE = {ADA: ("10", "2026-11-20T14:18:00+01:00", "2"), BOB: ("9", "2026-11-20T14:19:00+01:00", "4")}


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
    assert "sheet.csv:3: the time '11/20/2026 14:19' is not an English date" in told(done)
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
