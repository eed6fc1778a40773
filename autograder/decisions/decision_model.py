"""Describe one decision of a person, and find those that are in force."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Literal

Kind = Literal["override", "comment", "exempt", "points", "extend", "reopen"]
ABOUT_SUBMISSIONS: tuple[Kind, ...] = ("override", "comment", "exempt", "points")
"""Kinds of decisions about a submission; the others are about a student, who may not have handed in yet."""
EVERYONE = ""
"""The value of ``who`` for the whole class."""
FOR_EVERYONE: tuple[Kind, ...] = ("exempt", "extend")
"""Kinds of decisions that can be made for the whole class."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of the staff: about whom, its value, and the reason."""

    kind: Kind
    who: str
    """The submission's id as in its report; for ``extend`` and ``reopen`` the student; ``EVERYONE`` for the class."""
    subject: str = ""
    """The concept of an ``override`` (empty: the whole score), the test of an ``exempt``, what ``points`` are for."""
    value: str = ""
    """Points, a comment, a moment (ISO 8601), or a span of time; see ``decision_values``."""
    reason: str = ""
    author: str = ""
    """The name of the person who decided, as they gave it."""
    account: str = ""
    """The user who ran the command, as this machine knows them."""
    decided_at: str = ""
    """UTC, ISO 8601."""
    sha256: str = ""
    """The digest of the files that it is about; empty if it is about no files."""
    run: str = ""
    """An id shared by all decisions of one command, and by no others."""
    id: int = 0
    """The number in the store; 0 until it is saved."""
    undone_at: str = ""
    undone_by: str = ""

    @property
    def replaces_earlier(self) -> bool:
        """Return whether it replaces an earlier decision about the same subject, which comments do not."""
        return self.kind != "comment"

    @property
    def is_undone(self) -> bool:
        """Return whether it was undone."""
        return bool(self.undone_at)


@dataclass(frozen=True, slots=True)
class DecisionProvenance:
    """The author, time and command of a decision."""

    author: str
    """The person's name, as they gave it."""
    account: str
    """The user, as this machine knows them."""
    run: str = field(default_factory=lambda: uuid.uuid4().hex)
    """An id shared by all decisions of one command, and by no others."""
    decided_at: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="microseconds"))

    def make_decision(
        self, kind: Kind, who: str, subject: str = "", value: str = "", reason: str = "", sha256: str = ""
    ) -> Decision:
        """Return a decision by this person; it is not saved yet."""
        return Decision(
            kind, who, subject, value, reason, self.author, self.account, self.decided_at, sha256, self.run
        )

    def mark_as_undone(self, decision: Decision) -> Decision:
        """Return a decision as it is once this person has undone it."""
        return replace(decision, undone_at=self.decided_at, undone_by=self.author)


def select_decisions_in_force(decisions: Iterable[Decision]) -> tuple[Decision, ...]:
    """Return the decisions in force: not undone, and the last of several about the same subject.

    Args:
        decisions: in the order in which they were made. If the last one is undone, the one before is in force again.
    """
    decision_by_key: dict[tuple[str, ...], Decision] = {}
    for decision in decisions:
        if not decision.is_undone:
            key: tuple[str, ...] = (decision.kind, decision.who, decision.subject)
            if not decision.replaces_earlier:
                key = (*key, str(decision.id), decision.decided_at)
            decision_by_key[key] = decision
    return tuple(sorted(decision_by_key.values(), key=lambda decision: (decision.id, decision.decided_at)))
