"""What being late costs: the clock of the deadline's time zone decides, and a half of a hundredth goes up."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction
from zoneinfo import ZoneInfo

import pytest

from autograder.course.deadline_rules import DeadlineRules, LatePolicy, LatePolicyStep
from autograder.lateness import Lateness, compute_lateness_or_none
from autograder.lateness.late_penalty import (
    deduct_percentage,
    format_cost_of_handing_in_now,
    format_duration_in_two_units,
)

BERLIN = ZoneInfo("Europe/Berlin")
NEW_YORK = ZoneInfo("America/New_York")
DEADLINE = datetime(2025, 11, 21, 12, 0, tzinfo=BERLIN)
SECOND, MINUTE, HOUR, DAY = (timedelta(**{unit: 1}) for unit in ("seconds", "minutes", "hours", "days"))
TEN_A_DAY = LatePolicy(percent_per_day=10.0)
TABLE = LatePolicy(
    table=(
        LatePolicyStep(up_to_days=3, percent=50.0),
        LatePolicyStep(up_to_hours=6, percent=5.0),
        LatePolicyStep(up_to_days=1, percent=20.0),
    )
)


def late(
    by: timedelta, policy: LatePolicy = TEN_A_DAY, deadline: datetime = DEADLINE, student: str = "ada", **more: object
) -> Lateness:
    """What comes of a hand-in that is so much later than the deadline, in time that passes."""
    due = DeadlineRules(deadline=deadline, late_policy=policy, **more)  # type: ignore[arg-type]
    lateness = compute_lateness_or_none(due, student, deadline.astimezone(UTC) + by)
    assert lateness is not None
    return lateness


def off(by: timedelta, policy: LatePolicy = TEN_A_DAY, deadline: datetime = DEADLINE) -> Fraction:
    return late(by, policy, deadline).percent_off


# At the deadline


@pytest.mark.parametrize("by", [-400 * DAY, -SECOND, timedelta(0), timedelta(microseconds=999_999)])
def test_what_is_handed_in_by_the_second_of_the_deadline_is_in_time(by: timedelta) -> None:
    lateness = late(by)
    assert (lateness.seconds_late, lateness.days_late, lateness.percent_off) == (0, 0, Fraction(0))
    assert lateness.sentence == "Handed in in time: by the deadline, 2025-11-21 12:00 CET."


def test_one_second_after_the_deadline_the_first_day_has_begun() -> None:
    lateness = late(SECOND)
    assert (lateness.seconds_late, lateness.days_late, lateness.percent_off) == (1, 1, Fraction(10))
    assert lateness.sentence == (
        "Handed in 1 second after the deadline, 2025-11-21 12:00 CET: 10 % is taken off (1 day begun, 10 % each)."
    )


def test_nothing_is_late_where_there_is_no_deadline() -> None:
    assert compute_lateness_or_none(DeadlineRules(late_policy=TEN_A_DAY), "ada", DEADLINE) is None


def test_without_a_policy_lateness_is_told_and_costs_nothing() -> None:
    lateness = late(3 * HOUR, LatePolicy())
    assert (lateness.days_late, lateness.percent_off) == (1, Fraction(0))
    assert lateness.sentence.endswith("3 hours after the deadline, 2025-11-21 12:00 CET: nothing is taken off.")


# Grace


@pytest.mark.parametrize(
    ("by", "days", "percent"),
    [(15 * MINUTE, 0, 0), (15 * MINUTE + SECOND, 1, 10), (DAY, 1, 10), (DAY + SECOND, 2, 20)],
)
def test_within_the_time_of_grace_nothing_is_taken_off_and_after_it_days_count_from_the_deadline(
    by: timedelta, days: int, percent: int
) -> None:
    lateness = late(by, LatePolicy(percent_per_day=10.0, grace_minutes=15.0))
    assert (lateness.seconds_late, lateness.days_late) == (by.total_seconds(), days)
    assert lateness.percent_off == percent


# Days and hours


@pytest.mark.parametrize(
    ("policy", "percent_by_time"),
    [
        (TEN_A_DAY, {DAY: 10, DAY + SECOND: 20, 9 * DAY: 90, 12 * DAY: 100}),
        (LatePolicy(percent_per_hour=2.0), {SECOND: 2, HOUR: 2, HOUR + SECOND: 4, 2 * DAY: 96}),
        (LatePolicy(percent_per_day=0.1), {3 * DAY: Fraction(3, 10)}),
        (TABLE, {SECOND: 5, 6 * HOUR: 5, 6 * HOUR + SECOND: 20, DAY: 20, DAY + SECOND: 50, 3 * DAY + SECOND: 100}),
        (LatePolicy(percent_per_day=10.0, grace_minutes=0.1), {6 * SECOND: 0, 7 * SECOND: 10}),
    ],
    ids=["days that have begun", "hours that have begun", "exact", "a table in any order", "a part of a minute"],
)
def test_what_is_taken_off_follows_from_what_has_begun(
    policy: LatePolicy, percent_by_time: dict[timedelta, Fraction]
) -> None:
    assert {by: off(by, policy) for by in percent_by_time} == percent_by_time


def test_no_more_than_the_cap_is_taken_off() -> None:
    lateness = late(20 * DAY, LatePolicy(percent_per_day=10.0, cap_percent=45.5))
    assert lateness.percent_off == Fraction("45.5")
    assert "45.5 % is taken off (20 days begun, 10 % each, at most 45.5 %)" in lateness.sentence


def test_after_the_latest_day_nothing_is_left_whatever_the_cap() -> None:
    policy = LatePolicy(percent_per_day=10.0, cap_percent=30.0, latest_days=7)
    assert off(7 * DAY, policy) == 30
    after = late(7 * DAY + SECOND, policy)
    assert after.percent_off == 100
    assert "no points are left (nothing counts that is more than 7 days late)" in after.sentence


# A table


def test_a_step_is_named_to_the_student() -> None:
    assert "20 % is taken off (up to 1 day late)" in late(7 * HOUR, TABLE).sentence
    assert "no points are left (nothing counts that is more than 3 days late)" in late(4 * DAY, TABLE).sentence


# Clocks that are changed


@pytest.mark.parametrize(
    ("deadline", "hours"),
    [
        (datetime(2025, 10, 25, 23, 59, tzinfo=BERLIN), 25),
        (datetime(2026, 3, 28, 23, 59, tzinfo=BERLIN), 23),
        (datetime(2025, 11, 1, 20, 0, tzinfo=NEW_YORK), 25),
        (datetime(2025, 10, 25, 23, 59, tzinfo=timezone(timedelta(hours=2))), 24),
        (datetime(2024, 2, 28, 23, 59, tzinfo=BERLIN), 24),
        (datetime(2025, 10, 25, 2, 30, tzinfo=BERLIN), 25),
        (datetime(2026, 3, 28, 2, 30, tzinfo=BERLIN), 24),
    ],
    ids=["clocks back", "forward", "back in New York", "an offset", "leap day", "hour shown twice", "hour left out"],
)
def test_a_day_ends_when_the_clock_shows_the_deadline_again(deadline: datetime, hours: int) -> None:
    ends = hours * HOUR
    assert [late(by, deadline=deadline).days_late for by in (ends, ends + SECOND)] == [1, 2]


def test_hours_are_those_that_pass_when_clocks_are_changed() -> None:
    deadline = datetime(2025, 10, 26, 1, 30, tzinfo=BERLIN)
    handed_in = datetime(2025, 10, 26, 2, 30, tzinfo=BERLIN, fold=1)
    lateness = compute_lateness_or_none(
        DeadlineRules(deadline=deadline, late_policy=LatePolicy(percent_per_hour=1.0)), "ada", handed_in
    )
    assert lateness is not None
    assert (lateness.seconds_late, lateness.percent_off) == (7200, Fraction(2))


def test_a_deadline_in_the_hour_that_is_shown_twice_has_a_late_second_as_any_other() -> None:
    deadline = datetime(2025, 10, 26, 2, 30, tzinfo=BERLIN)
    assert (late(timedelta(0), deadline=deadline).days_late, late(SECOND, deadline=deadline).days_late) == (0, 1)


def test_a_time_zone_of_the_hand_in_changes_nothing_but_what_is_shown() -> None:
    at = datetime(2025, 11, 21, 6, 0, 1, tzinfo=NEW_YORK)
    lateness = compute_lateness_or_none(DeadlineRules(deadline=DEADLINE, late_policy=TEN_A_DAY), "ada", at)
    assert lateness is not None
    assert lateness.seconds_late == 1
    assert lateness.handed_in.isoformat() == "2025-11-21T12:00:01+01:00"


# Extensions


def test_an_extension_is_the_deadline_of_its_student_and_of_no_other() -> None:
    extensions = (("ada", DEADLINE + 2 * DAY),)
    own, other = (late(2 * DAY + SECOND, student=name, extensions=extensions) for name in ("ada", "bob"))
    assert (own.has_extension, own.seconds_late, own.percent_off) == (True, 1, Fraction(10))
    assert (other.has_extension, other.percent_off) == (False, Fraction(30))
    assert "1 second after your extended deadline, 2025-11-23 12:00 CET: 10 %" in own.sentence


def test_who_keeps_an_extended_deadline_is_in_time() -> None:
    lateness = late(2 * DAY, extensions=(("ada", DEADLINE + 2 * DAY),))
    assert lateness.percent_off == 0
    assert lateness.sentence == "Handed in in time: by your extended deadline, 2025-11-23 12:00 CET."


# Rounding


@pytest.mark.parametrize(
    ("points", "percent", "left"),
    [(80.0, 10, 72.0), (0.05, 10, 0.05), (0.15, 10, 0.14), (84.03, 10, 75.63), (33.33, 50, 16.67), (99.99, 0, 99.99)],
)
def test_what_is_left_is_rounded_to_hundredths_once_and_a_half_goes_up(
    points: float, percent: int, left: float
) -> None:
    assert deduct_percentage(points, Fraction(percent)) == left


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(1, "1 second"), (61, "1 minute 1 second"), (3601, "1 hour"), (97_200, "1 day 3 hours"), (172_859, "2 days")],
)
def test_a_time_is_told_in_its_two_largest_units(seconds: int, words: str) -> None:
    assert format_duration_in_two_units(seconds) == words


@pytest.mark.parametrize(
    ("by", "policy", "sentence"),
    [
        (timedelta(0), TEN_A_DAY, ""),
        (HOUR, LatePolicy(), "The deadline is over, but nothing is taken off what is handed in late."),
        (
            5 * MINUTE,
            LatePolicy(percent_per_day=10, grace_minutes=15),
            "The deadline is over, but nothing is taken off until the time of grace ends, 2025-11-21 12:15 CET.",
        ),
        (
            DAY + HOUR,
            TEN_A_DAY,
            "The deadline is over: 20 % is taken off what is handed in now (2 days begun, 10 % each).",
        ),
        (
            3 * DAY,
            LatePolicy(percent_per_day=10, latest_days=2),
            "The deadline is over: what is handed in now gets no points "
            "(nothing counts that is more than 2 days late).",
        ),
    ],
)
def test_after_the_deadline_a_sentence_says_what_handing_in_costs_now(
    by: timedelta, policy: LatePolicy, sentence: str
) -> None:
    now = late(by, policy)
    found = format_cost_of_handing_in_now(
        now.deadline,
        now.seconds_late,
        grace_minutes=policy.grace_minutes,
        is_late=now.is_late,
        percent_off=now.percent_off,
        reason=now.reason,
    )
    assert found == sentence
