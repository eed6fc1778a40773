"""Whose row of Moodle's worksheet a submission is: the right student's, or nobody's."""

from __future__ import annotations

import pytest

from autograder.submissions import Person, SubmissionOrigin
from tests.platforms.moodle_class import export, grades, pages, result, with_cells
from tests.platforms.moodle_sheets import ADA, BOB, EMPTY, wider


def test_a_worksheet_of_another_assignment_is_noticed_by_its_names() -> None:
    made = export(EMPTY, result("Bob Builder_2", 20))
    assert set(grades(made).values()) == {""}
    assert made.unmatched == (
        "Bob Builder_2: participant 2 of the worksheet is Ada Lovelace (2); check that it is of the same assignment, "
        "and if only names are shown differently, say --set match=number",
    )
    assert grades(export(EMPTY, result("Bob Builder_2", 20), match="number"))["2"] == "20"


@pytest.mark.parametrize("name", ["Lovelace, Ada_2", "Ada King Lovelace_2", "ada lovelace_02", "LovelaceAda_2"])
def test_a_name_that_is_shown_another_way_is_still_the_students(name: str) -> None:
    assert grades(export(EMPTY, result(name, 7)))["2"] == "7"


@pytest.mark.parametrize("name", ["Ada_2", "Lovelace_2", "LoveAdalace_2", "AdaLovelaceAda_2"])
def test_one_word_of_a_name_is_too_little(name: str) -> None:
    assert set(grades(export(EMPTY, result(name, 20))).values()) == {""}


def test_a_number_that_the_worksheet_does_not_know_is_told() -> None:
    made = export(EMPTY, result("Eve_99", 20))
    assert made.unmatched == ("Eve_99: the worksheet has no participant 99",)


def in_teams(teams: list[str]) -> bytes:
    """A worksheet of teams, their names in the column after the status."""
    return wider(EMPTY, 4, "Group", teams)


def test_each_member_of_a_team_gets_the_teams_grade_by_the_teams_name() -> None:
    sheet = in_teams(["Red_1", "Default group", "Red_1", "Blue", "Blue", "Default group"])
    nobody = result("Default group", 3, origin=SubmissionOrigin("moodle", group="Default group"))
    # the team's number is that of a participant who is in another
    made = export(sheet, result("Red 1_1", 7), nobody)
    assert grades(made, 5) == {"2": "7", "6": "7", "4": "3", "3": "3", "1": "", "5": ""}
    assert list(pages(made)) == ["Red 1_1_assignfeedback_file/feedback.html"]


def test_two_teams_of_one_name_are_left_to_a_human() -> None:
    made = export(in_teams(["Red", "Blue", "Red", "Blue", "Blue", "Blue"]), result("Red_71", 7), result("Red_72", 9))
    assert set(grades(made, 5).values()) == {""}
    assert len(made.unmatched) == 2


def test_a_student_who_writes_anothers_name_into_a_profile_gets_nothing_by_it() -> None:
    profile = with_cells(EMPTY, {(2, 2): "Lovelace, Ada", (2, 1): "Lovelace, Ada"})
    assert set(grades(export(profile, result("Lovelace, Ada_2", 20))).values()) == {""}
    mail = with_cells(EMPTY, {(2, 3): "ada@example.com"})
    assert set(grades(export(mail, result("ada@example.com", 20))).values()) == {""}


@pytest.mark.parametrize(
    ("name", "people"),
    [
        ("ada@example.com", ()),
        ("hw1 of ada", ({"login": "ada", "mail": "ADA@example.com"},)),
        ("ada", ({"Full name": "Ada Lovelace"},)),
    ],
)
def test_a_plain_folder_is_matched_by_mail_or_by_the_courses_list(
    name: str, people: tuple[dict[str, str], ...]
) -> None:
    made = export(EMPTY, result(name, 7, people=people))
    assert grades(made)["2"] == "7"
    assert list(pages(made)) == ["Ada Lovelace_2_assignfeedback_file/feedback.html"]


@pytest.mark.parametrize(
    "row",
    [
        {"Email address": ""},
        {"Full name": "Wei Li"},
        {"Full name": "Wei Li", "Status": "Submitted for grading - 1 hour late"},
        {"mail": "bob@example.com", "Full name": "No Submission"},
        {"Full name": "Nobody of This Class", "mail": "nobody@example.com"},
    ],
)
def test_a_row_of_the_courses_list_that_could_be_anothers_is_nobodys(row: dict[str, str]) -> None:
    sheet = with_cells(EMPTY, {(1, 2): "", (4, 1): "Wei Li", (5, 1): "Wei Li"})
    made = export(sheet, result("somebody", 7, people=(row,)))
    assert set(grades(made).values()) == {""}


def test_two_students_of_one_name_are_told_apart_by_their_mail() -> None:
    sheet = with_cells(EMPTY, {(4, 1): "Wei Li", (5, 1): "Wei Li"})
    made = export(sheet, result("wei", 7, people=({"Full name": "Wei Li", "Email address": "lee@example.com"},)))
    assert [number for number, grade in grades(made).items() if grade] == ["1"]


def test_what_came_from_another_platform_is_matched_by_mail() -> None:
    origin = SubmissionOrigin("gradescope", (Person("4", "Ada", "ada@example.com"),))
    assert grades(export(EMPTY, result("submission 4", 7, origin=origin)))["2"] == "7"


def test_another_platforms_number_is_no_participants() -> None:
    origin = SubmissionOrigin("gradescope", (Person("2", "Ada Lovelace"),))
    assert set(grades(export(EMPTY, result("submission 4", 7, origin=origin))).values()) == {""}


def test_a_plain_name_is_nobodys() -> None:
    made = export(EMPTY, result("ada", 7), result("4", 7), result("Submitted for grading", 7))
    assert set(grades(made).values()) == {""}
    assert len(made.unmatched) == 3


def test_two_results_for_one_student_are_both_left_to_a_human() -> None:
    made = export(EMPTY, result(ADA, 7), result("ada@example.com", 9), result(BOB, 3))
    assert (grades(made)["2"], grades(made)["4"]) == ("", "3")
    assert "Ada Lovelace_2 and ada@example.com all match Ada Lovelace (2)" in made.unmatched[0]


def test_an_attempt_that_does_not_count_is_left_out() -> None:
    made = export(EMPTY, result(ADA, 7), result(ADA, 2, attempt_counts=False))
    assert grades(made)["2"] == "7"
