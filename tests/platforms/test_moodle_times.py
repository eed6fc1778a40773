"""From Moodle's worksheet each student has the right hand-in time, or none and a word."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

import pytest

from autograder.editable_csv import EditableCsv
from autograder.platforms.common.opened_submissions import open_class_submissions
from autograder.platforms.moodle.submission_times import read_worksheet_times
from autograder.submissions import SubmissionOrigin
from tests.platforms.moodle_class import GOLDEN
from tests.platforms.moodle_times import (
    ADA,
    BERLIN,
    BLIND,
    GERMAN,
    GOLDEN_TIME,
    NOW,
    PLAIN,
    TEAMS,
    read_times,
)


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
    assert read_times(PLAIN, name, said=said) == {}
    assert f"{name} (no row of this participant or team)" in said[1]


def test_somebody_of_the_same_name_in_another_assignment_s_worksheet_gets_no_time() -> None:
    assert read_times(GERMAN.format(typed=""), "Jörg Müller_7") != {}
    assert read_times(GERMAN.format(typed=""), "Jörg Müller_70") == {}


def test_a_plain_folder_gets_no_time_although_it_is_called_as_a_student() -> None:
    class_: Mapping[str, SubmissionOrigin | None] = {ADA: None, "ada": SubmissionOrigin("", names=("ada",))}
    assert read_worksheet_times(EditableCsv(PLAIN, "sheet.csv"), class_, BERLIN, NOW, lambda line: None) == {}


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
    assert read_times(TEAMS.replace("Team Red", "Ada Lovelace"), "Ada Lovelace_5") == {}
