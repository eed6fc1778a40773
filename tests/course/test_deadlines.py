"""``grading.yml`` says when an assignment is due and what being late costs, for the course or one assignment."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from autograder.course import load_course
from autograder.course.deadline_rules import DeadlineRules, InvalidTime, LatePolicy, parse_typed_time
from tests.course.written import Write, course_fault, engine_of

COURSE = """\
course: Neural networks
timezone: Europe/Berlin
assignments:
  engine:
    defines: [Value]
    concepts: {forward: 10}
"""
DEADLINE = "    deadline: 2025-11-21 23:59\n"
SORTING = "  sorting:\n    defines: [sort]\n    concepts: {order: 10}\n"
NOV_21 = datetime(2025, 11, 21, 22, 59, tzinfo=UTC)


def due(write: Write, text: str) -> DeadlineRules:
    return engine_of(write(text)).deadline_rules


def deadline_fault(config: Path) -> str:
    return course_fault(config).removeprefix(f"{config}:")


# What is right


def test_an_assignment_without_a_deadline_is_never_late(write: Write) -> None:
    assert due(write, COURSE) == DeadlineRules(default_zone=due(write, COURSE).default_zone)
    assert due(write, COURSE).deadline is None


@pytest.mark.parametrize(
    "written",
    ["2025-11-21 23:59", "2025-11-21T23:59:00", "2025-11-21T22:59:00Z", "'2025-11-21 17:59-05:00'"],
)
def test_a_deadline_is_iso_8601_with_a_time_zone_or_in_that_of_the_course(write: Write, written: str) -> None:
    deadline = due(write, COURSE + f"    deadline: {written}\n").deadline
    assert deadline is not None
    assert deadline.isoformat() == "2025-11-21T23:59:00+01:00"


def test_a_deadline_that_says_its_time_zone_needs_no_other(write: Write) -> None:
    text = COURSE.replace("timezone: Europe/Berlin\n", "") + "    deadline: 2025-11-21T23:59:00+01:00\n"
    assert due(write, text).deadline == NOV_21


def test_a_deadline_that_clocks_show_twice_is_the_later_one(write: Write) -> None:
    deadline = due(write, COURSE + "    deadline: 2025-10-26 02:30\n").deadline
    assert deadline is not None
    assert deadline.astimezone(UTC).hour == 1


def test_attempts_are_limited_where_that_is_said_and_one_word_says_which_counts(write: Write) -> None:
    def limits_of(rules: DeadlineRules) -> tuple[str, int | None, float]:
        return rules.which_attempt_counts, rules.most_attempts, rules.minutes_between

    text = "attempts: {count: last, at_most: 5}\n" + COURSE + "    attempts: {minutes_between: 10}\n"
    engine, sorting = load_course(write(text + SORTING + "    attempts: best\n")).assignments
    assert limits_of(engine.deadline_rules) == ("last", 5, 10.0)
    assert limits_of(sorting.deadline_rules) == ("best", 5, 0.0)
    assert limits_of(due(write, COURSE + "    attempts: last\n")) == ("last", None, 0.0)
    assert limits_of(due(write, text.replace("minutes_between: 10", "at_most: null")))[1] is None


def test_what_an_assignment_does_not_say_is_as_the_course_says(write: Write) -> None:
    text = "deadline: 2025-11-21 23:59\nattempts: last\nlate: {percent_per_day: 10, cap_percent: 50}\n" + COURSE
    own = SORTING + "    attempts: best\n    late: {cap_percent: 20}\n"
    engine, sorting = (one.deadline_rules for one in load_course(write(text + own)).assignments)
    assert engine.deadline == sorting.deadline is not None
    assert (engine.which_attempt_counts, sorting.which_attempt_counts) == ("last", "best")
    assert engine.late_policy == LatePolicy(percent_per_day=10.0, cap_percent=50.0)
    assert sorting.late_policy == LatePolicy(percent_per_day=10.0, cap_percent=20.0)


def test_an_assignments_own_way_to_say_what_being_late_costs_replaces_the_courses(write: Write) -> None:
    text = "late: {percent_per_day: 10, grace_minutes: 5}\n" + COURSE + DEADLINE
    late = due(write, text + "    late:\n      table: [{up_to_days: 2, percent: 50}]\n").late_policy
    assert (late.percent_per_day, late.grace_minutes, len(late.table)) == (None, 5, 1)


def test_an_extension_is_a_new_deadline_or_a_number_of_days(write: Write) -> None:
    text = COURSE + DEADLINE + "    extensions: {ada: 2025-12-01 12:00, bob: 2}\n"
    assert {name: moment.isoformat() for name, moment in due(write, text).extensions} == {
        "ada": "2025-12-01T12:00:00+01:00",
        "bob": "2025-11-23T23:59:00+01:00",
    }


def test_days_of_an_extension_end_when_the_clock_shows_the_same_time(write: Write) -> None:
    text = COURSE + "    deadline: 2025-10-24 23:59\n    extensions: {ada: 3}\n"
    assert due(write, text).extensions[0][1].isoformat() == "2025-10-27T23:59:00+01:00"


def test_an_extension_may_be_given_for_every_assignment_and_otherwise_for_one(write: Write) -> None:
    text = "extensions: {ada: 1, bob: 1}\n" + COURSE + DEADLINE + "    extensions: {ada: 5}\n" + SORTING
    engine, sorting = load_course(write(text)).assignments
    assert {name: moment.day for name, moment in engine.deadline_rules.extensions} == {"ada": 26, "bob": 22}
    assert sorting.deadline_rules.extensions == ()


@pytest.mark.parametrize("name", ["Ada Lovelace", "'007'", "'=1+1'", "ada@uni.example", "李雷"])
def test_a_student_may_have_any_name(write: Write, name: str) -> None:
    text = COURSE + DEADLINE + f"    extensions:\n      {name}: 2\n"
    assert [student for student, _ in due(write, text).extensions] == [name.strip("'")]


def test_what_lateness_costs_does_not_change_the_version(write: Write) -> None:
    before = engine_of(write(COURSE)).version
    more = "    late: {percent_per_day: 10}\n    extensions: {ada: 2}\n    attempts: last\n"
    assert engine_of(write(COURSE + DEADLINE + more)).version == before


# Mistakes


@pytest.mark.parametrize(
    ("added", "key", "says"),
    [
        ("deadline: 2025-11-21", "deadline", "the date 2025-11-21 has no time of day"),
        ("deadline: tomorrow", "deadline", "'tomorrow' is not a date and time"),
        ("deadline: [1]", "deadline", "[1] is not a date and time"),
        (
            "deadline: 2025-03-30 02:30",
            "deadline",
            "2025-03-30 02:30 does not exist: clocks in Europe/Berlin are put",
        ),
        ("deadline: 0001-01-01 00:00:00", "deadline", "the year 1 is out of range"),
        ("timezone: Berlin", "timezone", "unknown time zone 'Berlin' (write one such as Europe/Berlin"),
        ("timezone: ../../etc/passwd", "timezone", "unknown time zone"),
        ("timezone: Europe", "timezone", "unknown time zone"),
        ("attempts: first", "attempts", "'attempts' must be best or last, not 'first'"),
        ("attempts: [best]", "attempts", "'attempts' must be best or last, not ['best']"),
        ("attempts: {count: first}", "attempts.count", "'count' cannot be 'first' (choose from best, last)"),
        ("attempts: {at_most: 0}", "attempts.at_most", "'at_most' must be at least 1, not 0"),
        ("attempts: {at_most: 2.5}", "attempts.at_most", "a whole number"),
        ("attempts: {minutes_between: -1}", "attempts.minutes_between", "must be at least 0, not -1"),
        ("attempts: {most: 5}", "attempts.most", "choose from count, at_most, minutes_between"),
        ("late: {percent_per_day: 10}", "late", "the late policy needs a deadline"),
        ("extensions: {ada: 2}", "extensions.ada", "an extension needs a deadline"),
    ],
)
def test_a_mistake_is_one_line_that_names_line_and_key(write: Write, added: str, key: str, says: str) -> None:
    text = f"{COURSE}    {added}\n"
    message = deadline_fault(write(text))
    assert message.startswith(f"{text.count(chr(10))}: assignments.engine.{key}: ")
    assert says in message
    assert len(message.splitlines()) == 1


@pytest.mark.parametrize(
    ("setting", "key", "says"),
    [
        ("{percent: 10}", "percent", "unknown key 'percent'"),
        ("{percent_per_day: 101}", "percent_per_day", "'percent_per_day' must be at most 100, not 101"),
        ("{percent_per_day: .nan}", "percent_per_day", "must be at least 0, not nan"),
        ("{cap_percent: -1}", "cap_percent", "'cap_percent' must be at least 0, not -1"),
        ("{grace_minutes: ten}", "grace_minutes", "a number such as"),
        ("{latest_days: 1.5}", "latest_days", "a whole number"),
        (
            "{percent_per_day: 1, percent_per_hour: 1}",
            "percent_per_hour",
            "does not go together with percent_per_day",
        ),
        (
            "{table: [{percent: 10}]}",
            "table",
            "entry 1 of 'table': a step must have either up_to_hours or up_to_days",
        ),
        (
            "{table: [{up_to_days: 1, percent: 1}, {up_to_hours: 24, percent: 2}]}",
            "table",
            "the table has two steps that end after 24 hours",
        ),
        (
            "{table: [{up_to_days: 2, percent: 10}, {up_to_days: 1, percent: 20}]}",
            "table",
            "the table takes off 10 percent up to 48 hours, and more before that",
        ),
    ],
)
def test_a_mistake_in_what_being_late_costs_is_told(write: Write, setting: str, key: str, says: str) -> None:
    message = deadline_fault(write(f"{COURSE}{DEADLINE}    late: {setting}\n"))
    assert message.startswith(f"8: assignments.engine.late.{key}: ")
    assert says in message


@pytest.mark.parametrize(
    ("setting", "key", "says"),
    [
        ("{ada: 0}", ".ada", "an extension must be from 1 to 3650 days, not 0"),
        ("{ada: 1.5}", ".ada", "an extension must be whole days or a new deadline"),
        ("{ada: true}", ".ada", "an extension must be whole days or a new deadline"),
        ("{ada: 2025-11-21 23:58}", ".ada", "the extension ends before the deadline, which is 2025-11-21 23:59 CET"),
        ("[ada]", "", "must be a mapping"),
        ("{0123: 2}", "", "reads a student's name as 83"),
    ],
)
def test_a_mistake_in_an_extension_is_told(write: Write, setting: str, key: str, says: str) -> None:
    message = deadline_fault(write(f"{COURSE}{DEADLINE}    extensions: {setting}\n"))
    assert message.startswith(f"8: assignments.engine.extensions{key}: ")
    assert says in message


def test_a_time_without_a_time_zone_is_told_how_to_name_one(write: Write) -> None:
    message = deadline_fault(write(COURSE.replace("timezone: Europe/Berlin\n", "") + DEADLINE))
    assert message == (
        "6: assignments.engine.deadline: the time 2025-11-21 23:59 has no time zone "
        "(name one: `timezone: Europe/Berlin`, or write 2025-11-21T23:59+01:00)"
    )


def test_a_mistake_of_the_course_is_told_where_the_course_makes_it(write: Write) -> None:
    message = deadline_fault(write("late: {cap_percent: 200}\n" + COURSE))
    assert message.startswith("1: late.cap_percent: ")


def test_the_example_of_the_documentation_holds_together(write: Write, root: Path) -> None:
    text = (root / "docs" / "lateness.md").read_text(encoding="utf-8")
    example = text.partition("```yaml\n")[2].partition("```")[0].replace("autograd-engine", "engine")
    engine = due(
        write, example.replace("    deadline", "    defines: [Value]\n    concepts: {forward: 10}\n    deadline")
    )
    assert {name: moment.isoformat() for name, moment in engine.extensions} == {
        "20231234": "2025-11-24T23:59:00+01:00",
        "ada@uni.example": "2025-12-01T12:00:00+01:00",
    }
    assert engine.late_policy == LatePolicy(percent_per_day=10, grace_minutes=15, cap_percent=50, latest_days=7)


@pytest.mark.parametrize("typed", ["2026-12-04", "4 Dec 2026"])
def test_a_date_alone_is_a_time_only_where_something_ends_then(typed: str) -> None:
    assert parse_typed_time(typed, UTC, is_end=True) == datetime(2026, 12, 4, 23, 59, tzinfo=UTC)
    with pytest.raises(InvalidTime):
        parse_typed_time(typed, UTC)
