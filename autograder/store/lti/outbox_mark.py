"""Describe a mark for a platform's line item, and how far sending it is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

import msgspec

MarkState = Literal["queued", "sending", "sent", "rejected", "kept", "withheld", "skipped"]
"""``kept``: a person set another mark on the platform, and it stays. ``withheld``: students may not see it yet.
``skipped``: this person gets no marks, such as a teacher or somebody who left, or the line item was deleted."""
SendPolicy = Literal["at once", "after due date", "on publishing"]
"""When to send; in every case, no mark is sent before its student may see it here."""
SEND_POLICIES: tuple[SendPolicy, ...] = get_args(SendPolicy)


class MarkWithComment(msgspec.Struct, frozen=True):
    """A mark and its comment, as they stand in a gradebook."""

    points: float
    maximum: float
    comment: str
    submitted_at: str = ""
    """When it was handed in, ISO 8601 with a time zone; empty where that is not known."""


@dataclass(frozen=True, slots=True)
class OutboxMark:
    """The mark of one person in one line item, and how far it is."""

    id: int
    line_item: int
    """The number of an ``LtiResourceLink``."""
    person: int
    """The number of an ``LtiPerson``."""
    url: str
    """The line item's URL; the record of what was sent applies to this URL alone."""
    version: int
    """Grows with every change of the mark."""
    value: MarkWithComment
    """The wanted mark."""
    state: MarkState
    confirmed: MarkWithComment | None
    """The mark that the platform accepted last; None if there was none yet."""
    in_doubt: tuple[MarkWithComment, ...]
    """Marks sent since then, without an answer that tells whether the platform accepted them."""
    last_timestamp: datetime | None
    """The timestamp of the last message that was sent, with any outcome."""
    overwrites: bool
    """Whether the staff allowed replacing a person's mark on the platform this once."""
    tries: int
    next_try: datetime
    answer: str
    """What the platform said last, or why the mark is not sent; escaped."""
