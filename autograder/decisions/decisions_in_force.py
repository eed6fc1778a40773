"""Hold the decisions about a class, and find those about one submission."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from autograder.decisions.decision_model import (
    ABOUT_SUBMISSIONS,
    EVERYONE,
    Decision,
)


@dataclass(frozen=True)
class ClassDecisionsInForce:
    """The decisions about a class that are in force."""

    in_force: tuple[Decision, ...] = ()

    def list_decisions_about_submission(
        self, submission_id: str, reopened_at: datetime | None = None
    ) -> list[Decision]:
        """Return the decisions about a submission, those about everybody first.

        Args:
            submission_id: its id, as in its report.
            reopened_at: when the attempt of these files was reopened; None if it was not. Earlier decisions
                other than exemptions concern other files, and are left out.
        """
        decisions = [
            *self._decisions_by_submission.get(EVERYONE, ()),
            *self._decisions_by_submission.get(submission_id, ()),
        ]
        if reopened_at is None:
            return decisions
        return [
            decision
            for decision in decisions
            if decision.kind == "exempt" or datetime.fromisoformat(decision.decided_at) >= reopened_at
        ]

    @cached_property
    def ids_with_overridden_whole_score(self) -> frozenset[str]:
        """Return the submissions whose whole score a person set."""
        return frozenset(
            decision.who for decision in self.in_force if decision.kind == "override" and not decision.subject
        )

    @cached_property
    def _decisions_by_submission(self) -> dict[str, list[Decision]]:
        decisions_by_submission: dict[str, list[Decision]] = {}
        for decision in self.in_force:
            if decision.kind in ABOUT_SUBMISSIONS:
                decisions_by_submission.setdefault(decision.who, []).append(decision)
        return decisions_by_submission
