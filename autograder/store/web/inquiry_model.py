"""Model an inquiry, and the events of its history."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

InquiryState = Literal["open", "answered", "closed"]
InquiryEventKind = Literal["question", "answer", "closing"]
STATE_AFTER: dict[InquiryEventKind, InquiryState] = {"question": "open", "answer": "answered", "closing": "closed"}


@dataclass(frozen=True, slots=True)
class InquirySummary:
    """An inquiry about a result; its history is loaded separately."""

    id: int
    key: str
    """Names it in addresses; cannot be guessed."""
    hand_in_key: str
    assignment: str
    owner: str
    """The login of the student, or the logins of the team, ``ada,bob``."""
    attempt: int
    submission: str
    test: str
    """The test's id as in the report; empty if the inquiry is about the whole result."""
    state: InquiryState
    changed_at: datetime
    last_event: int
    """The number of the last event of its history."""
    unread: bool = False
    """Whether there is an answer that the student who requests the list has not read."""


@dataclass(frozen=True, slots=True)
class InquiryEvent:
    """One step in the history of an inquiry."""

    id: int
    account: int
    login: str
    name: str
    kind: InquiryEventKind
    text: str
    written_at: datetime


@dataclass(frozen=True, slots=True)
class NewInquiryEvent:
    """A new event for an inquiry, before it is saved."""

    kind: InquiryEventKind
    text: str
    """The text; may be empty if the event closes the inquiry."""
    last_seen_event_id: int
    """The last event that the writer saw; a newer one means that somebody else wrote meanwhile."""
