"""The column of hand-in times is found in every language, and its dates are read for sure or refused."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from autograder.editable_csv import EditableCsv
from autograder.faults import CallerFault
from autograder.platforms.moodle.submission_times import (
    looks_like_grading_worksheet,
    read_worksheet_times,
)
from autograder.submissions import Person, SubmissionOrigin
from tests.platforms.moodle_class import GOLDEN
from tests.platforms.moodle_times import (
    ADA,
    BERLIN,
    BLIND,
    BOB,
    GERMAN,
    GOLDEN_TIME,
    NOW,
    PLAIN,
    TEAMS,
    find_refusal,
    origin,
    read_times,
    submitted,
)

SHEETS = {path.stem: path.read_bytes() for path in sorted((GOLDEN / "worksheets").glob("*-*.csv"))}
LATER = datetime(2026, 11, 24, tzinfo=UTC)


def class_of(sheet: EditableCsv) -> dict[str, SubmissionOrigin]:
    """A download of everybody in a worksheet, with names hidden: by number alone."""
    numbered = [re.fullmatch(r"(.*?)(\d+)", row.cells[0]) for row in sheet.rows[1:]]
    return {one[2]: SubmissionOrigin("moodle", (Person(one[2], one[1].strip()),)) for one in numbered if one}


@pytest.mark.parametrize("name", [name for name in SHEETS if name != "gradebook-en"])
def test_a_real_worksheet_is_known_in_every_language(name: str) -> None:
    assert looks_like_grading_worksheet(EditableCsv(SHEETS[name], name))


@pytest.mark.parametrize("language", ["ar", "de", "es", "eu", "fr", "ja", "zh_cn"])
def test_a_real_worksheet_says_the_same_times_in_every_language(language: str) -> None:
    def read(name: str) -> dict[str, datetime]:
        sheet = EditableCsv(SHEETS[f"graded-{name}"], name)
        return read_worksheet_times(sheet, class_of(sheet), BERLIN, LATER, lambda line: None)

    assert len(read("en")) == 17
    assert read(language) == read("en")


def test_a_team_has_its_time_in_a_real_worksheet_of_teams() -> None:
    sheet = EditableCsv(SHEETS["teams-en"], "sheet.csv")
    teams = {
        name: origin(name) for name in ("Team Red 1_1", "Team Blue_60", "Sam Smith_56", "Grün, Gelb amp; OBlau_4")
    }
    got = read_worksheet_times(sheet, teams, BERLIN, LATER, lambda line: None)
    assert got == dict.fromkeys(teams, datetime(2026, 11, 20, 10, 59, tzinfo=BERLIN)) | {
        "Sam Smith_56": datetime(2026, 11, 22, 10, 59, tzinfo=BERLIN)
    }


@pytest.mark.parametrize("typed", ["", "Freitag, 13. November 2026, 10:00"])
def test_the_column_is_found_in_another_language_whatever_students_typed(typed: str) -> None:
    sheet = GERMAN.format(typed=typed)
    assert read_times(sheet, "Jörg Müller_7", "Änne Öz_8") == {
        "Jörg Müller_7": GOLDEN_TIME,
        "Änne Öz_8": datetime(2026, 11, 19, 15, 5, tzinfo=BERLIN),
    }


def test_the_time_of_a_grade_is_never_taken_for_that_of_a_submission() -> None:
    rows = [line.split(";") for line in GERMAN.format(typed="").splitlines()]
    without = "\n".join(";".join(row[:7] + row[9:]) for row in rows)
    assert "cannot tell which column holds submission times" in find_refusal(without)


def test_a_worksheet_of_an_assignment_without_points_is_told_to_show_no_times() -> None:
    said = find_refusal(GERMAN.format(typed="").replace("20,00", "sehr gut"))
    assert said.startswith("sheet.csv: cannot find submission times: no column of grades stands beside full marks")
    assert said.endswith(
        "(give --submission-times a table with the columns submission, student and handed_in instead)"
    )


def test_a_date_in_another_calendar_does_not_make_the_next_column_that_of_the_times() -> None:
    sheet = GERMAN.format(typed="Freitag, 13. November 2026, 10:00")
    for written in ("Freitag, 20. November 2026, 14:18;Fr", "Donnerstag, 19. November 2026, 15:05;Fr"):
        sheet = sheet.replace(written, "Freitag, 20. November 令和8, 14:18;Fr")
    assert "cannot tell which column holds submission times" in find_refusal(sheet)


def test_a_date_that_cannot_be_read_is_told_with_its_line() -> None:
    said = find_refusal(submitted(bob="Friday, 20 Movember 2026, 2:18 PM"))
    assert said.startswith(
        "sheet.csv:3: the date 'Friday, 20 Movember 2026, 2:18 PM' is not a date in any language that fits the column"
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
        (GERMAN.encode(), True),
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
