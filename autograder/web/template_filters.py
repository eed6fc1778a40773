"""Format what pages show: moments, sizes, states, points."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo

from markupsafe import Markup, escape

from autograder.course.time_format import format_time_for_people
from autograder.reports.report_wording import add_full_stop, format_points, split_code_spans
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
    """Return a number of bytes for people, with one decimal at most.

    >>> _format_size(100 * 2**20), _format_size(1536)
    ('100 MB', '1.5 kB')
    """
    for unit, size in (("GB", 2**30), ("MB", 2**20), ("kB", 2**10)):
        if byte_count >= size:
            return f"{f'{byte_count / size:.1f}'.removesuffix('.0')} {unit}"
    return f"{byte_count} bytes"


def _format_hand_in_state(state: str) -> str:
    """Return the state of a hand-in for people."""
    return STATES.get(state, state)


def _escape_unprintable_in_each_line(text: str) -> str:
    r"""Return what a person wrote, each line cut, with visible escapes for characters that are not printable.

    Tabs stay, because people paste code. HTML is not escaped here.

    >>> _escape_unprintable_in_each_line("if x:\n\treturn \x1b")
    'if x:\n\treturn \\x1b'
    """
    return "\n".join(
        "\t".join(escape_for_display(part, MOST_CHARACTERS) for part in line[: MOST_CHARACTERS + 1].split("\t"))
        for line in text.splitlines()
    )


def _mark_code_spans(course_text: str, max_length: int = 300) -> Markup:
    """Return a text by the course or the kit as HTML, cut, with what stands between backticks as code.

    >>> _mark_code_spans("In `a < b`, both count.")
    Markup('In <code>a &lt; b</code>, both count.')
    """
    return Markup().join(
        Markup("<code>{}</code>").format(part) if is_code else escape(part)
        for part, is_code in split_code_spans(escape_for_display(course_text, max_length))
    )


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
    "with_code": _mark_code_spans,
}
"""The filters that templates may use."""
