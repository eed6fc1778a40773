"""Write ``results.json`` of an external grader for PrairieLearn.

PrairieLearn's page adds up the points of the list of tests. So the list has a line for each concept, with the bonus
beyond full marks, and a line for what lateness takes off: the sum is what counts.

Format: https://docs.prairielearn.com/externalGrading/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from autograder.platforms.common.export_points import compute_fraction_of_full_marks
from autograder.platforms.common.immediately_visible_tests import format_lost_tests
from autograder.platforms.common.json_encoding import encode_json_file
from autograder.platforms.common.platform_model import ExportOptions, Platform
from autograder.reports import ScoreReport
from autograder.reports.report_visibility import filter_report_for_student
from autograder.reports.report_wording import format_final_points
from autograder.reports.terminal_report import render_report_as_plain_text
from autograder.reports.unpassed_tests import iterate_concepts_to_fix
from autograder.safe_text import CUT_MARK, escape_for_display

LONGEST, LONGEST_EACH = 25_000, 2_500
"""Most characters in all and per text, each up to 12 bytes in JSON: the whole file must stay below 1 MB."""


def encode_report_files(report: ScoreReport, options: ExportOptions) -> Mapping[str, bytes]:
    """Make ``results.json`` for ``/grade/results``; a submission that could not be graded costs no attempt."""
    visible_report = filter_report_for_student(report, "handed in")
    score = compute_fraction_of_full_marks(report, options)
    if visible_report.status.message:
        return {
            "results.json": encode_json_file(
                {"gradable": False, "format_errors": [escape_for_display(visible_report.status.message, 1000)]}
            )
        }
    results = {
        "gradable": True,
        "score": score,
        "message": format_final_points(visible_report),
        "output": shorten_text(render_report_as_plain_text(visible_report), LONGEST),
        "tests": list(_iterate_test_rows(visible_report, with_bonus=options.settings.get("bonus") != "none")),
    }
    return {"results.json": encode_json_file(results)}


def _iterate_test_rows(visible_report: ScoreReport, *, with_bonus: bool) -> Iterator[dict[str, Any]]:
    lost_text_by_concept = {
        unpassed_tests.concept.name: shorten_text(format_lost_tests(unpassed_tests), LONGEST_EACH)
        for unpassed_tests in iterate_concepts_to_fix(visible_report)
    }
    for concept in visible_report.concepts:
        if concept.bonus and not with_bonus:
            continue
        yield {
            "name": concept.name + (" (bonus)" if concept.bonus else ""),
            "points": round(concept.score, 6),
            "max_points": 0 if concept.bonus else round(concept.max_score, 6),
            "output": lost_text_by_concept.get(concept.name, ""),
        }
    if visible_report.lateness and visible_report.lateness.percent_off:
        penalty = visible_report.score - visible_report.final.score
        if with_bonus:
            penalty += visible_report.bonus.score - visible_report.final.bonus
        message = escape_for_display(visible_report.lateness.message, 1000)
        yield {"name": "lateness", "points": -round(penalty, 6), "max_points": 0, "output": message}


platform = Platform("prairielearn", "PrairieLearn", report_writer=encode_report_files)


def shorten_text(text: str, max_length: int) -> str:
    """Shorten a text to at most so many characters; a text that is cut ends in a mark.

    >>> shorten_text("traceback", 6), shorten_text("short", 6)
    ('trace…', 'short')
    """
    return text if len(text) <= max_length else text[: max_length - len(CUT_MARK)] + CUT_MARK
