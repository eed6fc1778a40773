"""An extension finds those who handed in by any name that is surely theirs, and whenever it was granted."""

from __future__ import annotations

import csv
from datetime import UTC, datetime
from pathlib import Path

import pytest

from autograder.cli.students import SubmissionOwners, expand_member_names
from autograder.lateness import StudentNames, SubmissionTime, SubmissionTimes
from autograder.lateness.late_penalty import list_joined_students
from autograder.roster.roster import Roster
from autograder.submissions import Person, SubmissionEntry, SubmissionOrigin
from tests.cli.commands import run, succeeded
from tests.roster_rows import with_roster_rows
from tests.toy import RIGHT, write_toy

NOON = datetime(2025, 11, 20, 12, tzinfo=UTC)
LIST = """\
student,email,login,number,first name,group
ada,ada@x,al,1,Ada,red
bob,bob@x,bo,2,Bob,red
zoe,zoe@x,al2,3,Ada,blue
"""
PAIR = SubmissionOrigin("gradescope", (Person(email="ada@x"), Person(email="bob@x")))
ADA, BOB = ("ada", "ada@x", "al"), ("bob", "bob@x", "bo")


def members(
    student: str, origin: SubmissionOrigin | None, *, listed: bool = True, kept: tuple[StudentNames, ...] = ()
) -> tuple[StudentNames, ...]:
    """Who handed in what a table says is ``student``'s."""
    roster = Roster(LIST.encode(), "list.csv") if listed else None
    if roster and origin:
        origin = with_roster_rows(roster, SubmissionEntry("s", Path("s"), origin=origin)).origin
    table = SubmissionTimes({"s": SubmissionTime(student, NOON, list_joined_students(student))})
    (row,) = expand_member_names(table, [SubmissionOwners("s", origin, kept)], roster).by_submission_id.values()
    assert row.student == student
    return row.members


@pytest.mark.parametrize("student", ["ada + bob", "ada", "bob", "2"])
def test_a_table_may_name_all_of_a_group_or_one_of_it_by_any_name_on_the_roster(student: str) -> None:
    assert members(student, PAIR) == (ADA, BOB)


@pytest.mark.parametrize("student", ["ada@x + bob@x", "bob@x"])
def test_without_a_roster_the_platforms_people_are_the_members(student: str) -> None:
    assert members(student, PAIR, listed=False) == (("ada@x",), ("bob@x",))


def test_a_table_may_name_a_group_as_the_platform_does() -> None:
    assert members("red", SubmissionOrigin("moodle", group="red")) == (ADA, BOB)
    assert members("red", SubmissionOrigin("moodle", group="red"), listed=False) == ()


def test_where_the_table_names_somebody_else_it_is_right() -> None:
    assert members("zoe@x", PAIR) == (("zoe@x", "zoe", "al2"),)
    assert members("eve", PAIR) == ()
    assert members("zoe + eve", PAIR) == (("zoe", "zoe@x", "al2"), ("eve",))


def test_what_was_kept_of_the_same_people_goes_on_and_of_others_does_not() -> None:
    assert members("bo", PAIR, listed=False, kept=(ADA, BOB)) == (ADA, BOB)
    assert members("ada + bob", PAIR, listed=False, kept=(ADA, BOB)) == (ADA, BOB)
    assert members("ada@x", PAIR, listed=False, kept=(("zoe", "zoe@x"),)) == (("ada@x",), ("bob@x",))


def test_first_names_groups_and_columns_that_may_hold_anything_are_nobodys_for_later() -> None:
    assert not {"Ada", "red", "1"} & set(members("ada", PAIR)[0])


def test_what_stands_in_two_rows_is_nobodys() -> None:
    listed = LIST.replace("bob@x", "team@x").replace("ada@x", "team@x")
    roster = Roster(listed.encode(), "list.csv")
    table = expand_member_names(
        SubmissionTimes({"s": SubmissionTime("ada", NOON)}), [SubmissionOwners("s", None)], roster
    )
    assert table.by_submission_id["s"].members == (("ada", "al"),)


# As it is typed

DUE = "    deadline: 2025-11-20 12:00\n    late: {percent_per_day: 10}\n"
TABLE = """\
submission_1:
  :submitters:
  - :name: Ada
    :email: ada@x
  - :name: Bob
    :email: bob@x
  :created_at: 2025-11-22 10:00:00 Z
submission_2:
  :submitters:
  - :name: Zoe
    :email: zoe@x
  :created_at: 2025-11-22 10:00:00 Z
"""


@pytest.fixture
def late_class(tmp_path: Path) -> Path:
    """A course without extensions, and a class of a pair and one alone, all of them late."""
    course = write_toy(tmp_path, DUE)
    for name in ("submission_1", "submission_2"):
        (course / "export" / name).mkdir(parents=True)
        (course / "export" / name / "value.py").write_text(f"{RIGHT}# {name}\n")
    (course / "export" / "submission_metadata.yml").write_text(TABLE)
    (course / "list.csv").write_text(LIST)
    return course


def extend(place: Path, *students: str) -> None:
    with (place / "grading.yml").open("a") as file:
        file.write("    extensions:\n" + "".join(f'      "{student}": 5\n' for student in students))


def kind(place: Path) -> dict[str, tuple[str, str]]:
    """What counts of each submission, and whose extension that is."""
    with (place / "out" / "gradebook.csv").open(encoding="utf-8", newline="") as file:
        return {row["submission"][-1]: (row["final_score"], row["extension_of"]) for row in csv.DictReader(file)}


def test_an_extension_of_one_is_the_groups_and_of_nobody_else(late_class: Path) -> None:
    extend(late_class, "bob@x")
    shown = succeeded(run("batch", "toy", "export", "--out", "out", cwd=late_class))
    assert "an extension" not in shown
    assert kind(late_class) == {"1": ("10", "bob@x"), "2": ("8", "")}


@pytest.mark.thorough
def test_one_that_is_granted_afterwards_counts_in_the_next_report_by_another_name_on_the_roster(
    late_class: Path,
) -> None:
    done = run("batch", "toy", "export", "--out", "out", "--roster", "list.csv", cwd=late_class)
    assert "late: 2 submissions" in succeeded(done)
    extend(late_class, "bo", "zoe@x")
    assert "an extension" not in succeeded(run("report", "--out", "out", cwd=late_class))
    assert kind(late_class) == {"1": ("10", "bo"), "2": ("10", "zoe@x")}


@pytest.mark.first_cases(1)
@pytest.mark.thorough_but("report")
@pytest.mark.parametrize("command", [["report"], ["regrade", "toy"]], ids=" ".join)
def test_one_whose_name_may_be_somebody_elses_is_told_until_the_class_is_graded_with_its_roster(
    late_class: Path, command: list[str]
) -> None:
    graded = ["batch", "toy", "export", "--out", "out", "--roster", "list.csv"]
    succeeded(run(*graded, cwd=late_class))
    extend(late_class, "Bob")
    told = "an extension, but no submission time: Bob"
    assert told in succeeded(run(*command, "--out", "out", cwd=late_class))
    assert kind(late_class)["1"] == ("8", "")
    assert told not in succeeded(run(*graded, cwd=late_class))
    assert kind(late_class)["1"] == ("10", "Bob")


@pytest.mark.thorough
def test_a_new_table_in_a_report_keeps_who_is_who(late_class: Path) -> None:
    succeeded(run("batch", "toy", "export", "--out", "out", "--roster", "list.csv", cwd=late_class))
    extend(late_class, "bo")
    (late_class / "times.csv").write_text("submission,student,handed_in\nsubmission_1,ada@x,2025-11-23 10:00\n")
    succeeded(run("report", "--out", "out", "--submission-times", "times.csv", cwd=late_class))
    assert kind(late_class) == {"1": ("10", "bo"), "2": ("10", "")}
