"""Format what pages show: moments, sizes, states, points."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo

from autograder.course.time_format import format_time_for_people
from autograder.reports.report_wording import add_full_stop, format_points
from autograder.safe_text import escape_for_display

MOST_CHARACTERS = 10_000
WORD_AT_START = re.compile(r"[a-z]+[ ,]")
STATES = {
    "queued": "waiting to be graded",
    "grading": "being graded",
    "graded": "graded",
    "failed": "not graded: the grader failed, the staff has been told, and nothing is lost",
}


def format_moment(moment: datetime | None, zone: tzinfo | None = None) -> str:
    """Return a moment for people, to the second, in a time zone or in its own."""
    if moment is None:
        return ""
    return format_time_for_people(moment.replace(microsecond=0).astimezone(zone or moment.tzinfo or UTC))


def _format_size(byte_count: int) -> str:
    """Return a number of bytes for people."""
    if byte_count >= 2**30:
        return f"{byte_count / 2**30:.1f} GB"
    return (
        f"{byte_count / 2**20:.1f} MB"
        if byte_count >= 2**20
        else f"{byte_count / 1024:.1f} kB"
        if byte_count >= 1024
        else f"{byte_count} bytes"
    )


def _format_hand_in_state(state: str) -> str:
    """Return the state of a hand-in for people."""
    return STATES.get(state, state)


def _escape_unprintable_in_each_line(text: str) -> str:
    """Return what a person wrote, each line cut, with visible escapes for characters that are not printable.

    HTML is not escaped here.
    """
    return "\n".join(escape_for_display(line, MOST_CHARACTERS) for line in text.splitlines())


def _format_message_as_sentence(text: str) -> str:
    """Return a message with a capital and a full stop; a place that it begins with, such as a URL, stays as it is.

    >>> _format_message_as_sentence("the launch is too old"), _format_message_as_sentence("table.csv: it is empty")
    ('The launch is too old.', 'table.csv: it is empty.')
    """
    return add_full_stop(text[:1].upper() + text[1:] if WORD_AT_START.match(text) else text)


FILTERS = {
    "moment": format_moment,
    "size": _format_size,
    "state": _format_hand_in_state,
    "points": format_points,
    "text": escape_for_display,
    "sentence": _format_message_as_sentence,
    "prose": _escape_unprintable_in_each_line,
}
"""The filters that templates may use."""
