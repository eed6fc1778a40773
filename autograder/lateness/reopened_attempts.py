"""Describe a reopened attempt: submissions since then take precedence over earlier ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from autograder.course.deadline_rules import DeadlineRules


@dataclass(frozen=True, slots=True)
class ReopenedAttempt:
    """When a student was given another attempt, and until when."""

    since: datetime
    until: datetime | None = None
    """The deadline of that attempt; None when it has none."""

    def make_deadline_rules(self, deadline_rules: DeadlineRules) -> DeadlineRules:
        """Return the rules for submissions of this attempt, with its deadline alone."""
        until = (
            self.until.astimezone(deadline_rules.deadline.tzinfo)
            if self.until and deadline_rules.deadline
            else self.until
        )
        return replace(deadline_rules, deadline=until, extensions=(), deadlines_of_students=())
