"""Teams in Moodle: a grade for each member, and one page under the group's number."""

from __future__ import annotations

import pytest

from autograder.platforms import ExportResult, SubmissionResult
from autograder.submissions import SubmissionOrigin
from tests.platforms import moodle_class
from tests.platforms.moodle_class import GOLDEN, cells, pages, result, with_cells

SHEETS = {name: (GOLDEN / "worksheets" / f"teams-{name}.csv").read_bytes() for name in ("en", "de")}
"""What a Moodle 4.3 wrote for five teams and six students in none; one team is called as its member Sam Smith."""
GROUP, GRADE = 4, 5
"""Columns of these worksheets."""
RED, BLUE, SAM, GREEN = "Team Red 1_1", "Team Blue_2", "Sam Smith_3", "Grün, Gelb amp; OBlau_4"
"""As the download calls them: with the groups' numbers."""
DEFAULT = {"en": "Default group", "de": "Standard-Gruppe"}


def export_teams(
    sheet: bytes, *rows: SubmissionResult, match: str = "name", team_pages: str = "group"
) -> ExportResult:
    """What the writer makes of a worksheet with full marks 50."""
    return moodle_class.export(sheet, *rows, max_points=50, match=match, team_pages=team_pages)


def default(name: str, points: float) -> SubmissionResult:
    """The submission of those who are in no team."""
    return result(name, points, origin=SubmissionOrigin("moodle", group=name))


def by_team(made: ExportResult, column: int = GRADE) -> dict[str, set[str]]:
    """What stands in a column, by team."""
    found: dict[str, set[str]] = {}
    for row in cells(made.files["worksheet.csv"])[1:]:
        found.setdefault(row[GROUP], set()).add(row[column])
    return found


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_member_of_every_team_gets_the_teams_grade(language: str) -> None:
    teams = [result(name, points) for name, points in ((RED, 1), (BLUE, 2), (SAM, 3), (GREEN, 4))]
    made = export_teams(SHEETS[language], *teams, default(DEFAULT[language], 5))
    assert by_team(made) == {
        "Team Red_1": {"1"},
        "Team Blue": {"2"},
        "Sam Smith": {"3"},
        'Grün, "Gelb" & O\'Blau': {"4"},
        DEFAULT[language]: {"5"},
        "Nobody hands in": {""},
    }
    assert made.unmatched == ()


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_team_has_one_page_under_its_own_number(language: str) -> None:
    made = export_teams(SHEETS[language], *(result(name, 3) for name in (RED, BLUE, SAM, GREEN)))
    assert set(pages(made)) == {
        f"{name}_assignfeedback_file/feedback.html" for name in (RED, BLUE, SAM, "Grün, Gelb amp; OBlau_4")
    }


def test_who_is_in_no_team_gets_no_page_and_the_export_says_so() -> None:
    made = export_teams(SHEETS["en"], result(RED, 1), default("Default group", 5))
    assert set(pages(made)) == {f"{RED}_assignfeedback_file/feedback.html"}
    (note,) = (one for one in made.notes if one.startswith("no page for"))
    assert "no page for Default group: in an assignment for teams" in note
    assert "A_b 12 van der Berg, Jr. (57)" in note


@pytest.mark.parametrize("number", ["72", "60", "067"])
def test_a_group_whose_number_is_a_participants_leads_to_that_participant_by_nothing(number: str) -> None:
    made = export_teams(SHEETS["en"], result(f"Team Blue_{number}", 2), result(RED, 1), match="number")
    assert by_team(made)["Team Blue"] == {"2"}
    assert by_team(made)["Team Red_1"] == {"1"}
    assert f"Team Blue_{number}_assignfeedback_file/feedback.html" in pages(made)


@pytest.mark.parametrize("number", ["67", "56"], ids=["the other Sam Smith", "the member"])
def test_a_team_called_as_a_student_whose_number_it_has_is_a_team(number: str) -> None:
    made = export_teams(SHEETS["en"], result(f"Sam Smith_{number}", 3), result(RED, 1), result(BLUE, 2))
    assert by_team(made)["Sam Smith"] == {"3"}
    assert by_team(made)["Team Blue"] == {"2"}
    assert f"Sam Smith_{number}_assignfeedback_file/feedback.html" in pages(made)


def test_a_students_own_work_for_another_assignment_is_not_that_of_a_team_called_as_the_student() -> None:
    made = export_teams(SHEETS["en"], result("Sam Smith_900", 20), result("Ada Lovelace_901", 20))
    assert set().union(*by_team(made).values()) == {""}
    assert len(made.unmatched) == 2


def test_teams_whose_names_a_download_cannot_tell_apart_are_left_to_a_human() -> None:
    renamed = _renamed({"Team Blue": "Grün, Gelb amp; OBlau"})
    made = export_teams(renamed, result(GREEN, 4), result(RED, 1), result(SAM, 3))
    assert by_team(made)["Grün, Gelb amp; OBlau"] | by_team(made)['Grün, "Gelb" & O\'Blau'] == {""}
    assert made.unmatched == (
        f"{GREEN}: no team or several teams of the worksheet match; check that it is of the same assignment",
    )
    assert GREEN not in str(pages(made).keys())


def test_teams_whose_names_differ_in_capitals_alone_are_two() -> None:
    made = export_teams(_renamed({"Team Blue": "team red_1"}), result(RED, 1), result("team red 1_2", 2))
    assert (by_team(made)["Team Red_1"], by_team(made)["team red_1"]) == ({"1"}, {"2"})


def test_a_team_called_as_a_status_gets_nobody_elses_row() -> None:
    made = export_teams(
        _renamed({"Team Blue": "Submitted for grading"}), result("Submitted for grading_2", 2), result(RED, 1)
    )
    assert by_team(made)["Submitted for grading"] == {"2"}
    assert by_team(made)["Team Red_1"] == {"1"}
    assert by_team(made)['Grün, "Gelb" & O\'Blau'] == {""}


def test_a_page_waits_where_a_member_has_two_results() -> None:
    made = export_teams(SHEETS["en"], result(RED, 1), result("ada@example.com", 20), result(BLUE, 2))
    assert set(pages(made)) == {f"{BLUE}_assignfeedback_file/feedback.html"}
    assert any(one.startswith("no page for Team Red 1_1: Moodle gives a page to every member") for one in made.notes)


def test_for_a_moodle_before_june_2023_pages_go_by_the_members_numbers() -> None:
    made = export_teams(SHEETS["en"], result(BLUE, 2), result(RED, 1), team_pages="member")
    assert {name.split("_")[-3] for name in pages(made)} == {"72", "60", "71", "64", "67"}


@pytest.mark.parametrize("language", ["en", "de"])
def test_work_from_elsewhere_gets_no_page_because_nobody_says_the_groups_number(language: str) -> None:
    made = export_teams(SHEETS[language], result("ada@example.com", 7))
    assert pages(made) == {}
    assert any(one.startswith("no page for ada@example.com") for one in made.notes)


def _renamed(teams: dict[str, str]) -> bytes:
    rows = enumerate(cells(SHEETS["en"]))
    changed = {(place, GROUP): teams[row[GROUP]] for place, row in rows if row[GROUP] in teams}
    return with_cells(SHEETS["en"], changed)


def test_a_team_that_the_worksheet_does_not_name_is_nobodys_whatever_the_courses_list_says() -> None:
    row = {"Identifier": "Participant 67", "Email address": "sam1@example.com"}
    stranger = result("Team Green_67", 20, people=(row,))
    made = export_teams(SHEETS["en"], result(RED, 1), result(SAM, 3), stranger)
    assert by_team(made)["Team Blue"] == {""}
    assert made.unmatched == (
        "Team Green_67: no team or several teams of the worksheet match; check that it is of the same assignment",
    )
