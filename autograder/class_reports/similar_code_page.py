"""Render who handed in the same as a web page, with near programs side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from autograder.class_reports.overview_page import format_percentage
from autograder.class_reports.similar_code_findings import CAUTION, CodeLine, SimilarCodeFindings
from autograder.class_reports.staff_page_rendering import render_staff_page
from autograder.safe_text import escape_for_display

SIMILAR_CODE_TEMPLATE = "similar.html.j2"
MOST_SHOWN = 25
"""Pairs whose code is shown; the others are listed."""
CONTEXT = 2
"""Lines shown around a passage that both have."""
LONGEST_LINE = 200
MOST_LINES = 400


def encode_similar_code_page(findings: SimilarCodeFindings, assignment_title: str, output_folder: str) -> bytes:
    """Return the page as HTML, with all text of students escaped.

    Args:
        findings: who handed in the same or nearly the same.
        assignment_title: the assignment's title.
        output_folder: the folder that the class was graded into.
    """
    values = make_similar_code_template_values(findings, assignment_title, {})
    return render_staff_page(SIMILAR_CODE_TEMPLATE, where=output_folder, **values)


def make_similar_code_template_values(
    findings: SimilarCodeFindings, assignment_title: str, page_link_by_submission_id: dict[str, str]
) -> dict[str, Any]:
    """Return the values for the template, except the location of the class.

    Args:
        findings: who handed in the same or nearly the same.
        assignment_title: the assignment's title.
        page_link_by_submission_id: where a submission's page is, by its id.
    """
    shown_pairs = findings.pairs[:MOST_SHOWN]
    return {
        "similar": findings,
        "title": assignment_title,
        "links": page_link_by_submission_id,
        "pairs": [(pair, [[*_fold_lines(lines)] for lines in pair.lines]) for pair in shown_pairs],
        "percent": format_percentage,
        "caution": CAUTION,
    }


def _fold_lines(lines: Sequence[CodeLine]) -> Iterator[CodeLine | int]:
    """Yield the lines to be shown, and for each stretch of others how many there are."""
    near_indexes = {
        near_index
        for index, line in enumerate(lines)
        if line.shared
        for near_index in range(index - CONTEXT, index + CONTEXT + 1)
    }
    omitted_count = shown_count = 0
    for index, line in enumerate(lines):
        if index not in near_indexes or shown_count >= MOST_LINES:
            omitted_count += 1
            continue
        if omitted_count:
            yield omitted_count
        omitted_count, shown_count = 0, shown_count + 1
        yield CodeLine(line.number, escape_for_display(line.text.expandtabs(4).rstrip(), LONGEST_LINE), line.shared)
    if omitted_count:
        yield omitted_count
