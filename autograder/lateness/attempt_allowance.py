"""Decide whether and from when a student may hand in again. Pure.

The limit of attempts and the waiting time between two attempts decide this.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from autograder.course.deadline_rules import DeadlineRules


@dataclass(frozen=True, slots=True)
class AttemptAllowance:
    """How many attempts a student has left, and from when on."""

    left: int | None
    """None where there is no limit."""
    wait_until: datetime | None = None
    """When the next attempt may be handed in, rounded up to a whole second; None if now."""
    reopened: bool = False
    """Whether the next attempt is one that the staff gave, regardless of the rules."""

    @property
    def may_hand_in_now(self) -> bool:
        """Return whether the next attempt may be handed in now."""
        return self.left != 0 and self.wait_until is None


def compute_attempt_allowance(
    deadline_rules: DeadlineRules,
    counted_attempt_times: Sequence[datetime],
    reopened_at: datetime | None,
    now: datetime,
) -> AttemptAllowance:
    """Compute what a student may still hand in.

    Args:
        deadline_rules: the rules of the assignment.
        counted_attempt_times: the times of the attempts, in order, without those on which the grader failed: they
            do not count.
        reopened_at: when the staff last gave another attempt; one attempt may follow regardless of the rules.
        now: the present time.

    >>> rules = DeadlineRules(most_attempts=3, minutes_between=10)
    >>> noon = datetime(2026, 11, 20, 12, tzinfo=UTC)
    >>> allowance = compute_attempt_allowance(rules, [noon], None, now=noon)
    >>> allowance.left, allowance.wait_until.isoformat()
    (2, '2026-11-20T12:10:00+00:00')
    """
    attempts_left = (
        None
        if deadline_rules.most_attempts is None
        else max(0, deadline_rules.most_attempts - len(counted_attempt_times))
    )
    if reopened_at is not None and not any(attempt_time >= reopened_at for attempt_time in counted_attempt_times):
        return AttemptAllowance(None if attempts_left is None else max(1, attempts_left), reopened=True)
    if not counted_attempt_times or attempts_left == 0 or not deadline_rules.minutes_between:
        return AttemptAllowance(attempts_left)
    next_at = counted_attempt_times[-1] + timedelta(minutes=deadline_rules.minutes_between)
    if next_at <= now:
        return AttemptAllowance(attempts_left)
    return AttemptAllowance(attempts_left, datetime.fromtimestamp(math.ceil(next_at.timestamp()), UTC))
