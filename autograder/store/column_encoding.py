"""Convert names, paths, times, origins and students for a database, and back: a file's name may not be valid text."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import msgspec

from autograder.lateness import StudentNames
from autograder.submissions.origin import SubmissionOrigin


def encode_text(text: str) -> str:
    r"""Return a text with characters that a database refuses escaped; different texts stay different.

    >>> encode_text("caf\udce9\n")
    'caf\\udce9\\n'
    """
    return json.dumps(text, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()[1:-1]


def decode_text(encoded_text: str) -> str:
    """Return the text that ``encode_text`` made into ``encoded_text``."""
    text: str = json.loads(f'"{encoded_text}"')
    return text


def encode_time(moment_in_utc: datetime) -> str:
    """Return a moment in UTC as ISO 8601 text of one length, so that the texts sort as the moments do.

    >>> encode_time(datetime(2026, 11, 20, 23, 59, tzinfo=UTC))
    '2026-11-20T23:59:00.000000+00:00'
    """
    return moment_in_utc.isoformat(timespec="microseconds")


def decode_time_or_none(encoded_time: str | None) -> datetime | None:
    """Return the moment that ``encode_time`` made into ``encoded_time``; None for an empty text or NULL."""
    return datetime.fromisoformat(encoded_time) if encoded_time else None


def encode_now() -> str:
    """Return this moment as ``encode_time`` does."""
    return encode_time(datetime.now(UTC))


def encode_origin(origin: SubmissionOrigin) -> str:
    """Return an origin as JSON in ASCII; names of files that are not valid text become escapes in it."""
    return json.dumps(msgspec.to_builtins(origin))


def decode_origin(origin_json: str) -> SubmissionOrigin:
    """Return the origin that ``encode_origin`` made into ``origin_json``."""
    return msgspec.convert(json.loads(origin_json), SubmissionOrigin)


def encode_student_names(students: tuple[StudentNames, ...]) -> str:
    """Return students, each by all their names, as JSON in ASCII; empty if there are none."""
    return json.dumps(students) if students else ""


def decode_student_names(students_json: str) -> tuple[StudentNames, ...]:
    """Return the students that ``encode_student_names`` made into ``students_json``."""
    return msgspec.convert(json.loads(students_json), tuple[StudentNames, ...]) if students_json else ()
