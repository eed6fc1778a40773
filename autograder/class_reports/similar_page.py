"""Render who handed in the same as a web page, with near programs side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from autograder.class_reports.overview_page import format_share
from autograder.class_reports.page_template import encode_staff_page
from autograder.class_reports.similar_model import CodeLine, SimilarCode
from autograder.class_reports.similarity_caution import CAUTION
from autograder.safe_text import escape_for_display

TEMPLATE = "similar.html.j2"
MOST_SHOWN = 25
"""Pairs whose code is shown; the others are listed."""
CONTEXT = 2
"""Lines shown around a passage that both have."""
LONGEST_LINE = 200
MOST_LINES = 400


def encode_similar_page(similar: SimilarCode, title: str, where: str) -> bytes:
    """Return the page; all text of students is text.

    Args:
        similar: who handed in the same or nearly the same.
        title: the assignment's title.
        where: the folder that the class was graded into.
    """
    return encode_staff_page(TEMPLATE, where=where, **describe_similar_code(similar, title, {}))


def describe_similar_code(similar: SimilarCode, title: str, links: dict[str, str]) -> dict[str, Any]:
    """Return what the template shows, but for where the class is.

    Args:
        similar: who handed in the same or nearly the same.
        title: the assignment's title.
        links: where a submission's page is, by its id.
    """
    shown = similar.pairs[:MOST_SHOWN]
    return {
        "similar": similar,
        "title": title,
        "links": links,
        "pairs": [(pair, [[*_fold(lines)] for lines in pair.lines]) for pair in shown],
        "percent": format_share,
        "caution": CAUTION,
    }


def _fold(lines: Sequence[CodeLine]) -> Iterator[CodeLine | int]:
    """Yield the lines to be shown, and for each stretch of others how many there are."""
    near = {
        at for place, line in enumerate(lines) if line.shared for at in range(place - CONTEXT, place + CONTEXT + 1)
    }
    left_out = shown = 0
    for place, line in enumerate(lines):
        if place not in near or shown >= MOST_LINES:
            left_out += 1
            continue
        if left_out:
            yield left_out
        left_out, shown = 0, shown + 1
        yield CodeLine(line.number, escape_for_display(line.text.expandtabs(4).rstrip(), LONGEST_LINE), line.shared)
    if left_out:
        yield left_out
