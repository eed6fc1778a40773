"""Whose row of Canvas's gradebook a score goes to: by id, login or name, and nobody's where that is not sure."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autograder.platforms import SubmissionResult
from autograder.submissions import Person, SubmissionOrigin
from tests.platforms.canvas_class import of_canvas
from tests.platforms.canvas_sheet import GRADEBOOK, JASEN, table, written_for
from tests.platforms.classes import result


@pytest.mark.parametrize(
    "row",
    [
        {"Given name": "Bob", "Surname": "O'Brien"},
        {"canvas_id": "12"},
        {"id": "S2"},
        {"Login": "BOB@example.edu"},
        {"name": "x", "email": "bob@example.edu"},
        {"Name": 'O\'Brien, "Bob"'},
        {"student": "Bob O'Brien"},
        {"first name": "Bob", "last name": "O'Brien"},
    ],
)
def test_the_course_s_own_list_says_who_is_who(row: dict[str, str]) -> None:
    made = written_for(result("x.py", 4.0, SubmissionOrigin("", roster=(row,)), row))
    assert [one.student for one in made.changes] == ['O\'Brien, "Bob" (12)']


def test_all_members_of_a_group_get_the_score() -> None:
    rows = [{"login": "jblock3430"}, {"login": "absent"}]
    made = written_for(result("team", 4.0, SubmissionOrigin("moodle", group="team"), *rows))
    assert [(one.student, one.after) for one in made.changes] == [
        ("Block, Jasen (11)", "4.00"),
        ("Absent, Max (15)", "4.00"),
    ]


@pytest.mark.parametrize("name", ["jblock3430", "JBlock3430", "S1", "11", "blockjasen", "Jasen Block"])
def test_a_plain_folder_is_matched_by_what_its_submissions_are_called(name: str) -> None:
    assert written_for(result(name, 4.0)).changes[0].student == "Block, Jasen (11)"


def test_another_platform_s_numbers_are_not_canvas_s() -> None:
    other = SubmissionOrigin("moodle", (Person(id="11", email="bob@example.edu"),))
    assert written_for(result("x", 4.0, other)).changes[0].student == 'O\'Brien, "Bob" (12)'


def test_a_list_that_counts_students_otherwise_does_not_add_any() -> None:
    row = {"id": "12", "name": "Jasen Block"}
    made = written_for(result("a", 4.0, replace(JASEN, roster=(row,)), row))
    assert [one.student for one in made.changes] == ["Block, Jasen (11)"]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (result("gone", 4.0, of_canvas("gone_77_67890_value.py")), "no student in Canvas has the id 77"),
        (result("anon_aB3dE", 4.0, of_canvas("anon_aB3dE_67890_value.py")), "Canvas hides the student"),
        (result("who", 4.0), "no student in Canvas has this id, login or name"),
        (result("x", 4.0, SubmissionOrigin("moodle", (Person(id="7"),))), "no student in Canvas has this login"),
        (
            result("x", 4.0, None, {"id": "S1", "login": "absent"}),
            r"several students match: Block, Jasen \(11\) and Absent, Max",
        ),
    ],
)
def test_whose_it_is_must_be_sure(row: SubmissionResult, why: str) -> None:
    made = written_for(row)
    assert len(made.unmatched) == 1
    with pytest.raises(AssertionError, match=why):
        raise AssertionError(made.unmatched[0])
    assert len(table(made)) == 2


def test_two_of_one_name_are_told_apart_only_by_more_than_the_name() -> None:
    sheet = GRADEBOOK.replace("Absent, Max", "Block, Jasen")
    assert "several students match:" in written_for(result("Jasen Block", 4.0), sheet=sheet).unmatched[0]
    assert written_for(result("absent", 4.0), sheet=sheet).changes[0].student == "Block, Jasen (15)"


def test_a_name_made_of_numbers_gets_nobody_elses_score() -> None:
    """Mallory, with the id 12, has called herself ``Mallory_11``: 11 is Jasen's id, who handed in nothing."""
    sheet = GRADEBOOK.replace('"O\'Brien, ""Bob"""', '"Mallory_11"')
    mallory = SubmissionOrigin("canvas", (Person(id="11", name="mallory"),), names=("mallory_11_12_67890_value.py",))
    made = written_for(result("mallory_11", 1.0, mallory), sheet=sheet)
    assert [one.student for one in made.changes] == ["Mallory_11 (12)"]
    unsure = written_for(result("mallory_11", 1.0, mallory))
    assert not unsure.changes
    assert "any of them may be the student's id" in unsure.unmatched[0]


def test_numbers_in_a_file_s_name_do_no_harm() -> None:
    ways = of_canvas("blockjasen_11_12_13_value.py")
    assert written_for(result("a", 1.0, ways)).changes[0].student == "Block, Jasen (11)"


def test_a_student_of_whom_two_submissions_count_gets_neither() -> None:
    made = written_for(result("a", 1.0, JASEN), result("jblock3430", 20.0))
    assert not made.changes
    assert "a and jblock3430 all match Block, Jasen (11)" in made.unmatched[0]


def test_an_attempt_that_does_not_count_is_not_written() -> None:
    made = written_for(result("a", 1.0, JASEN), replace(result("a~2", 20.0, JASEN), attempt_counts=False))
    assert [one.after for one in made.changes] == ["1.00"]
