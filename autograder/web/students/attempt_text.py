"""Describe attempts: how many there are and are left, which counts, what a late one costs, why one was refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from autograder.course.deadline_rules import DeadlineRules
from autograder.english_wording import choose_by_count
from autograder.lateness import AttemptAllowance, CountingReason, Lateness
from autograder.lateness.counting_text import format_counting_sentence
from autograder.lateness.lateness_text import format_cost_of_handing_in_now
from autograder.store.web.hand_in_model import HandIn
from autograder.web.template_filters import format_moment


def describe_attempt_limits(deadline_rules: DeadlineRules) -> str:
    """Return what an assignment says of attempts; empty where it sets no limit.

    >>> describe_attempt_limits(DeadlineRules(most_attempts=5, minutes_between=10))
    'At most 5 attempts, at least 10 minutes apart.'
    """
    count = deadline_rules.minutes_between
    minutes = f"at least {count:g} {choose_by_count(count, 'minute', 'minutes')} apart"
    if deadline_rules.most_attempts is None:
        return f"Attempts lie {minutes}." if deadline_rules.minutes_between else ""
    return (
        f"At most {_count(deadline_rules.most_attempts)}{', ' + minutes if deadline_rules.minutes_between else ''}."
    )


def describe_attempt_allowance(allowance: AttemptAllowance, deadline_rules: DeadlineRules) -> str:
    """Return how many attempts a student has left; empty where nothing limits them."""
    if allowance.left == 0:
        return _exhausted(deadline_rules)
    said = []
    if allowance.reopened:
        said.append("The staff gave you another attempt.")
    if allowance.left is not None:
        said.append(f"{_count(allowance.left).capitalize()} left.")
    if allowance.wait_until:
        said.append(f"You can hand in again at {_moment(allowance.wait_until, deadline_rules)}.")
    return " ".join(said)


def describe_byte_quota_refusal(kept_bytes: int, student_mb: int) -> str:
    """Return what a student reads whose hand-ins would have too many bytes together."""
    return (
        f"The server keeps {student_mb} MB of your hand-ins, and has {kept_bytes / 2**20:.0f} MB of them. Hand in "
        "your own code alone, and clear the outputs of a notebook first. If that is refused too, ask the staff for "
        "more room (--student-mb). This cost you no attempt."
    )


def describe_late_cost(lateness: Lateness | None, deadline_rules: DeadlineRules) -> str:
    """Return what handing in now costs; empty up to the deadline, and where there is none."""
    if lateness is None:
        return ""
    return format_cost_of_handing_in_now(
        lateness.deadline,
        lateness.seconds_late,
        grace_minutes=deadline_rules.late_policy.grace_minutes,
        is_late=lateness.is_late,
        percent_off=lateness.percent_off,
        reason=lateness.reason,
    )


def list_counting_sentences(
    hand_ins: Iterable[HandIn], counting: Mapping[str, tuple[CountingReason, ...]]
) -> list[str]:
    """Return a sentence for each attempt that counts: one, unless the student's team changed.

    Args:
        hand_ins: all hand-ins of a student.
        counting: see ``EffectiveClassResults.find_counting_reasons``.
    """
    return [format_counting_sentence(one.attempt, counting[one.key]) for one in hand_ins if one.key in counting]


def describe_attempt_refusal(allowance: AttemptAllowance, deadline_rules: DeadlineRules) -> str:
    """Return why an attempt was not taken."""
    if allowance.left == 0 or allowance.wait_until is None:
        return _exhausted(deadline_rules)
    when = _moment(allowance.wait_until, deadline_rules)
    return f"Your last attempt is too fresh: hand in again at {when}. This one cost you no attempt."


def _exhausted(deadline_rules: DeadlineRules) -> str:
    count = _count(deadline_rules.most_attempts or 0)
    return f"You have used {count}, and there is no other. Ask the staff if you need one."


def _count(number: int) -> str:
    return choose_by_count(number, "one attempt", f"{number} attempts")


def _moment(moment: datetime, deadline_rules: DeadlineRules) -> str:
    return format_moment(moment, deadline_rules.default_zone or UTC)
