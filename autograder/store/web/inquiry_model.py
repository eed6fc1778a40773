"""Model an inquiry, and the entries of its history."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

InquiryState = Literal["open", "answered", "closed"]
EntryKind = Literal["question", "answer", "closing"]
STATE_AFTER: dict[EntryKind, InquiryState] = {"question": "open", "answer": "answered", "closing": "closed"}


@dataclass(frozen=True, slots=True)
class InquirySummary:
    """An inquiry about a result; its history is loaded separately."""

    id: int
    key: str
    """Names it in addresses; cannot be guessed."""
    hand_in_key: str
    assignment: str
    owner: str
    """The login of the student, or the logins of the team, ``ada+bob``."""
    attempt: int
    submission: str
    test: str
    """The test's id as in the report; empty if the inquiry is about the whole result."""
    state: InquiryState
    changed_at: datetime
    last_entry: int
    """The number of the last entry of its history."""
    unread: bool = False
    """Whether there is an answer that the student who requests the list has not read."""


@dataclass(frozen=True, slots=True)
class InquiryEvent:
    """One step in the history of an inquiry."""

    id: int
    account: int
    login: str
    name: str
    kind: EntryKind
    text: str
    written_at: datetime


@dataclass(frozen=True, slots=True)
class NewInquiryEntry:
    """A new entry for an inquiry, before it is saved."""

    kind: EntryKind
    text: str
    """The text; may be empty if the entry closes the inquiry."""
    last_seen_entry_id: int
    """The last entry that the writer saw; a newer one means that somebody else wrote meanwhile."""
