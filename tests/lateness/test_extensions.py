"""An extension of one is the extension of all who handed in together; of several the latest counts."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from autograder.course.deadline_rules import DeadlineRules
from autograder.lateness import (
    StudentNames,
    SubmissionTime,
    SubmissionTimes,
    apply_lateness,
    compute_lateness_or_none,
    list_students_of_origin,
)
from autograder.reports.report_model import filter_report_for_student
from autograder.submissions import Person, SubmissionOrigin
from tests.reports.sample import a_report

NOON = datetime(2025, 11, 21, 12, tzinfo=UTC)
TEAM: tuple[StudentNames, ...] = (("ada", "ada@x"), ("bob", "bob@x"))
WHOLE = "ada + bob"


def whose(names: dict[str, datetime], members: tuple[StudentNames, ...] = TEAM, student: str = WHOLE) -> str:
    """Whose extension counts for the team, of those who have one until then."""
    found = compute_lateness_or_none(
        DeadlineRules(deadline=NOON, extensions=tuple(names.items())), student, NOON, members
    )
    assert found is not None
    assert found.has_extension == bool(found.extension_holder)
    assert found.deadline == names.get(found.extension_holder, NOON)
    return found.extension_holder


def day(number: int) -> datetime:
    return NOON.replace(day=number)


@pytest.mark.parametrize("name", ["ada", "bob", "bob@x", WHOLE])
def test_an_extension_of_any_member_by_any_of_their_names_or_of_the_whole_counts(name: str) -> None:
    assert whose({name: day(25)}) == name


def test_the_latest_is_told_by_moments_and_not_by_what_clocks_show() -> None:
    tokyo = day(25).replace(hour=20, tzinfo=ZoneInfo("Asia/Tokyo"))
    assert whose({"ada": tokyo, "bob": day(25)}) == "bob"


def test_of_one_students_two_names_the_courses_own_counts_or_else_the_latest() -> None:
    one = (("ada", "ada@x", "7"),)
    assert whose({"ada": day(23), "ada@x": day(25)}, one, "8") == "ada"
    assert whose({"7": day(23), "ada@x": day(25)}, one, "8") == "ada@x"


def test_an_extension_of_a_member_has_a_line_in_the_table() -> None:
    due = DeadlineRules(deadline=NOON, extensions=tuple((name, day(25)) for name in ("ada@x", WHOLE, "eve")))
    times = SubmissionTimes({"a": SubmissionTime(WHOLE, NOON, TEAM)})
    assert times.list_extensions_without_submission(due) == ["eve"]


@pytest.mark.parametrize(
    ("origin", "members"),
    [
        (SubmissionOrigin("gradescope", (Person("1", "Ada", "ada@x"), Person("2", "Bob"))), (("ada@x",), ("2",))),
        (SubmissionOrigin("gradescope", (Person(name="Mallory + bob@x"),)), (("Mallory + bob@x",),)),
        (SubmissionOrigin("moodle", group="Team 1"), ()),
        (
            SubmissionOrigin("moodle", group="Team 1", roster=({"student": "ada"}, {"student": "bob"})),
            (("ada",), ("bob",)),
        ),
        (SubmissionOrigin("moodle", (Person(),)), ()),
    ],
    ids=["a platform's people", "a name that looks like two", "a group alone", "a group on the roster", "nobody"],
)
def test_the_members_are_those_whom_platform_and_roster_know(
    origin: SubmissionOrigin, members: tuple[StudentNames, ...]
) -> None:
    assert list_students_of_origin(origin) == members


def test_the_report_says_whose_extension_it_is_to_the_staff_alone() -> None:
    due = DeadlineRules(deadline=NOON, extensions=(("bob@x", day(25)),))
    report = apply_lateness(a_report(), compute_lateness_or_none(due, WHOLE, day(24), TEAM))
    assert report.lateness is not None
    assert (report.lateness.extended, report.lateness.extension_of) == (True, "bob@x")
    assert "bob" not in report.lateness.message
    shown = filter_report_for_student(report, "published").lateness
    assert shown is not None
    assert (shown.extended, shown.extension_of) == (True, "")
