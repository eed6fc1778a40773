"""An extension by a person goes before the one in ``grading.yml``; a reopened attempt has a deadline of its own."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from autograder.course.deadline_rules import DeadlineRules, LatePolicy
from autograder.decisions import EVERYONE, Decision, apply_extension_decisions, map_reopened_attempts_by_student
from autograder.lateness import SubmissionTime, SubmissionTimes, select_counting_submissions

BERLIN = ZoneInfo("Europe/Berlin")
DEADLINE = datetime(2025, 10, 25, 12, tzinfo=BERLIN)
DUE = DeadlineRules(
    deadline=DEADLINE,
    late_policy=LatePolicy(percent_per_day=10.0),
    extensions=(("ada", DEADLINE.replace(day=28)), ("bob", DEADLINE.replace(month=11, day=20))),
    default_zone=BERLIN,
)


def extend(who: str, value: str, decided_at: str = "") -> Decision:
    return Decision("extend", who, value=value, decided_at=decided_at)


def extended(*decisions: Decision) -> tuple[datetime | None, dict[str, datetime]]:
    due = apply_extension_decisions(DUE, decisions)
    return due.deadline, dict(due.extensions)


def test_a_students_extension_takes_the_place_of_the_one_in_the_course() -> None:
    deadline, extensions = extended(extend("ada", "1 day"), extend("zoe", "2025-11-01T12:00:00+01:00"))
    assert deadline == DEADLINE
    assert extensions["ada"] == datetime(2025, 10, 26, 12, tzinfo=BERLIN)
    assert extensions["zoe"] == datetime(2025, 11, 1, 12, tzinfo=BERLIN)


def test_days_end_when_clocks_show_the_same_time_and_hours_are_hours() -> None:
    _, extensions = extended(extend("ada", "1 day"), extend("zoe", "24 hours"))
    assert extensions["ada"].hour == 12
    assert extensions["zoe"].hour == 11  # clocks were put back that night


@pytest.mark.parametrize(
    ("value", "everyone", "ada", "bob"),
    [("2 days", (10, 27), (10, 30), (11, 22)), ("2025-11-10T12:00:00+01:00", (11, 10), (11, 10), (11, 20))],
    ids=["a span", "a moment"],
)
def test_more_time_for_everyone_moves_every_deadline_and_takes_nothing_from_who_has_longer(
    value: str, everyone: tuple[int, int], ada: tuple[int, int], bob: tuple[int, int]
) -> None:
    deadline, extensions = extended(extend(EVERYONE, value))
    moved = {"": deadline, **extensions}
    assert moved == {
        who: DEADLINE.replace(month=m, day=d) for who, (m, d) in zip(moved, (everyone, ada, bob), strict=True)
    }


def test_one_for_everyone_is_added_to_what_people_gave_a_student_in_any_order() -> None:
    given = [extend("ada", "1 day"), extend(EVERYONE, "1 day")]
    assert extended(*given) == extended(*reversed(given))


@pytest.mark.parametrize(("decided", "day"), [("2025-10-20", 4), ("2025-10-22", 2)], ids=["before", "afterwards"])
def test_a_moment_that_a_student_got_is_moved_by_a_span_for_everyone_only_if_that_came_later(
    decided: str, day: int
) -> None:
    until = extend("ada", "2025-11-02T12:00:00+01:00", f"{decided}T08:00:00.000000+00:00")
    deadline, extensions = extended(extend(EVERYONE, "2 days", "2025-10-21T08:00:00.000000+00:00"), until)
    assert deadline == DEADLINE.replace(day=27)
    assert extensions["ada"] == datetime(2025, 11, day, 12, tzinfo=BERLIN)
    assert extensions["bob"] == DEADLINE.replace(month=11, day=22)


REOPENED = Decision("reopen", "ada", value="2025-12-01T12:00:00+01:00", decided_at="2025-11-20T08:00:00+00:00")
ROWS = {
    "first": SubmissionTime("ada", DEADLINE.replace(day=29)),
    "second": SubmissionTime("ada", datetime(2025, 11, 25, tzinfo=UTC)),
    "third": SubmissionTime("ada", datetime(2025, 12, 3, tzinfo=UTC)),
}
TIMES = SubmissionTimes(ROWS, reopened=map_reopened_attempts_by_student([REOPENED]))


@pytest.mark.parametrize(("submission", "days_late"), [("first", 1), ("second", 0), ("third", 2)])
def test_only_what_is_handed_in_since_has_the_deadline_of_the_reopened_attempt(
    submission: str, days_late: int
) -> None:
    late = TIMES.compute_lateness_or_none(submission, DUE)
    assert late is not None
    assert late.days_late == days_late


def test_an_attempt_that_was_reopened_without_an_end_is_never_late() -> None:
    times = SubmissionTimes(
        ROWS, reopened=map_reopened_attempts_by_student([Decision("reopen", "ada", decided_at=REOPENED.decided_at)])
    )
    assert times.compute_lateness_or_none("third", DUE) is None


def test_what_is_handed_in_since_counts_though_the_earlier_one_was_better() -> None:
    totals = [("first", 10.0), ("second", 2.0)]
    assert select_counting_submissions(totals, TIMES, "best") == {"second"}
    assert select_counting_submissions(totals[:1], TIMES, "best") == {"first"}
    assert select_counting_submissions(totals, SubmissionTimes(ROWS), "best") == {"first"}


def test_an_attempt_whose_score_a_person_set_counts_before_others() -> None:
    times = SubmissionTimes(ROWS, chosen=frozenset({"second"}))
    assert select_counting_submissions([("first", 10.0), ("second", 0.0)], times, "best") == {"second"}


def test_a_member_of_a_group_reopens_the_groups_attempt() -> None:
    row = SubmissionTime("team", datetime(2025, 11, 25, tzinfo=UTC), (("ada", "ada@x"), ("bob",)))
    times = SubmissionTimes({"team": row}, reopened=TIMES.reopened)
    assert times.find_reopened_attempt("team") is not None
