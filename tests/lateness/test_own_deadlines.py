"""Where an LMS says other deadlines for some students, theirs are those, with what people decided on top."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from autograder.course.deadline_rules import DeadlineRules, LatePolicy
from autograder.decisions import Decision, apply_extension_decisions
from autograder.lateness import ReopenedAttempt, compute_lateness_or_none

POLICY = LatePolicy(percent_per_day=10.0)


def day(number: int) -> datetime:
    return datetime(2026, 11, number, 12, tzinfo=UTC)


RULES = DeadlineRules(day(10), POLICY, deadlines_of_students=(("ada", day(5)), ("bob", day(15))))
TEAM = (("ada",), ("cy",))


def find_deadline(rules: DeadlineRules, student: str, *members: tuple[str, ...]) -> datetime | None:
    found = compute_lateness_or_none(rules, student, day(20), members)
    return found.deadline if found else None


def extend(who: str, value: str) -> Decision:
    return Decision("extend", who, "", value, "ill")


@pytest.mark.parametrize(("student", "due"), [("ada", 5), ("bob", 15), ("cy", 10)])
def test_a_students_own_deadline_goes_before_everybodys_be_it_earlier_or_later(student: str, due: int) -> None:
    assert find_deadline(RULES, student) == day(due)


def test_what_is_handed_in_after_ones_own_deadline_is_late_though_others_have_time() -> None:
    late = compute_lateness_or_none(RULES, "ada", day(7))
    assert late
    assert (late.days_late, float(late.percent_off), late.has_extension) == (2, 20.0, False)


def test_a_team_has_the_latest_deadline_of_its_members() -> None:
    assert find_deadline(RULES, "ada+cy", *TEAM) == day(10)
    assert find_deadline(RULES, "ada+bob", ("ada",), ("bob",)) == day(15)


def test_an_extension_of_one_takes_no_time_from_another_of_the_team() -> None:
    extended = replace(RULES, extensions=(("ada", day(8)),))
    assert find_deadline(extended, "ada+cy", *TEAM) == day(10)
    assert find_deadline(extended, "ada") == day(8)


def test_an_extension_that_people_give_begins_at_ones_own_deadline() -> None:
    given = apply_extension_decisions(RULES, [extend("ada", "2 days"), extend("cy", "2 days")])
    assert find_deadline(given, "ada") == day(7)
    assert find_deadline(given, "cy") == day(12)


def test_an_extension_for_everyone_moves_own_deadlines_too() -> None:
    given = apply_extension_decisions(RULES, [extend("", "1 day")])
    assert [find_deadline(given, one) for one in ("ada", "bob", "cy")] == [day(6), day(16), day(11)]


def test_a_reopened_attempt_has_its_own_deadline_alone() -> None:
    assert find_deadline(ReopenedAttempt(day(1), day(18)).make_deadline_rules(RULES), "ada") == day(18)
