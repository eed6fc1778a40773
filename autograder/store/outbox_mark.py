"""Describe a mark on its way to a platform."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

import msgspec

MarkState = Literal["queued", "sending", "sent", "rejected", "kept", "withheld", "skipped"]
"""``kept``: a person set another mark on the platform, and it stays. ``withheld``: students may not see it yet.
``skipped``: this person gets no marks, such as a teacher or somebody who left."""
SendWhen = Literal["at once", "after due date", "on publishing"]
"""Whichever it is, no mark leaves before its student may see it here."""
SEND_WHEN: tuple[SendWhen, ...] = get_args(SendWhen)


class MarkValue(msgspec.Struct, frozen=True):
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
    """The number of an ``LtiLineItem``."""
    person: int
    """The number of an ``LtiPerson``."""
    url: str
    """The line item's URL; elsewhere nothing was sent yet."""
    version: int
    """Grows whenever the mark becomes another."""
    value: MarkValue
    """What should stand there."""
    state: MarkState
    confirmed: MarkValue | None
    """What the platform took last; None if nothing yet."""
    in_doubt: tuple[MarkValue, ...]
    """What was sent since then without an answer that says whether the platform took it."""
    last_timestamp: datetime | None
    """The timestamp of the last message that was sent, whatever came of it."""
    overwrites: bool
    """Whether staff said that a person's mark on the platform may be replaced, this once."""
    tries: int
    next_try: datetime
    answer: str
    """What the platform said last, or why the mark is not sent; escaped."""


def encode_values(values: Any) -> str:
    """Return mark values as JSON in ASCII, which every database takes."""
    return json.dumps(msgspec.to_builtins(values))


def decode_value(text: str) -> MarkValue | None:
    """Return the value that ``encode_values`` made into ``text``; None for an empty text."""
    return msgspec.convert(json.loads(text), MarkValue) if text else None


def decode_values(text: str) -> tuple[MarkValue, ...]:
    """Return the values that ``encode_values`` made into ``text``."""
    return msgspec.convert(json.loads(text), tuple[MarkValue, ...]) if text else ()
