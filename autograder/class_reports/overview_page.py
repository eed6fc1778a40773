"""Render an overview as a web page: one file, without scripts, that loads nothing from elsewhere."""

from __future__ import annotations

from typing import Any

from autograder.class_reports.class_overview_model import TENTHS, ClassOverview
from autograder.class_reports.staff_page_rendering import render_staff_page
from autograder.reports.report_wording import format_points

MOST_TESTS = 12
"""How many of the hardest tests are shown unfolded."""


OVERVIEW_TEMPLATE = "overview.html.j2"


def render_overview_page(overview: ClassOverview, other_overview: ClassOverview | None = None) -> bytes:
    """Return an overview as HTML, with all text of students escaped.

    Args:
        overview: the class.
        other_overview: another class, or an earlier version, to be compared with it.
    """
    values = make_overview_template_values(overview, other_overview, "Run `autograder batch` again.")
    return render_staff_page(OVERVIEW_TEMPLATE, **values)


def make_overview_template_values(
    overview: ClassOverview, other_overview: ClassOverview | None, advice_on_unfinished_submissions: str
) -> dict[str, Any]:
    """Return what the template of an overview shows.

    Args:
        overview: the class.
        other_overview: another class to be compared with it; None without one.
        advice_on_unfinished_submissions: what to do about submissions that have no result or a provisional one.
    """
    failed_tests = [test for test in overview.tests if test.failed]
    core_tests = [test for test in failed_tests if not test.bonus]
    return {
        "overview": overview,
        "beside": other_overview,
        "rows": _make_histogram_rows(overview, other_overview),
        "hardest": core_tests[:MOST_TESTS],
        "others": core_tests[MOST_TESTS:],
        "bonus": [test for test in failed_tests if test.bonus],
        "percent": format_percentage,
        "number": format_points,
        "advice": advice_on_unfinished_submissions,
    }


def format_percentage(share: float) -> str:
    """Return a share as a whole percentage; only 0 gives 0 % and only 1 gives 100 %.

    >>> format_percentage(0.004), format_percentage(0.999)
    ('< 1 %', '> 99 %')
    """
    percent = round(100 * share)
    if percent == 0 and share > 0:
        return "< 1 %"
    return "> 99 %" if percent == 100 and share < 1 else f"{percent} %"


def format_points_of_tenth(tenth_index: int, max_score: float) -> str:
    """Return the range of points of a bin, such as ``10 to < 20``; the last bin is full marks.

    >>> format_points_of_tenth(1, 100), format_points_of_tenth(TENTHS, 100)
    ('10 to < 20', '100')
    """
    if tenth_index == TENTHS:
        return format_points(max_score)
    low, high = (format_points(max_score * edge / TENTHS) for edge in (tenth_index, tenth_index + 1))
    return f"{low} to < {high}"


def _make_histogram_rows(overview: ClassOverview, other_overview: ClassOverview | None) -> list[dict[str, object]]:
    """Return the rows of the histogram, full marks first, each with its bars as shares of the longest."""
    final_counts, reached_counts = overview.final.counts_by_tenth_and_full, overview.reached.counts_by_tenth_and_full
    other_counts = other_overview.final.counts_by_tenth_and_full if other_overview else None
    max_count = max((*final_counts, *reached_counts, 1))
    other_max_count = max((*(other_counts or ()), 1))
    return [
        {
            "label": format_points_of_tenth(index, overview.final.max_score),
            "final": final_counts[index],
            "reached": reached_counts[index],
            "beside": other_counts[index] if other_counts else None,
            "final_bar": final_counts[index] / max_count,
            "reached_bar": reached_counts[index] / max_count,
            "beside_bar": other_counts[index] / other_max_count if other_counts else 0.0,
        }
        for index in reversed(range(TENTHS + 1))
    ]
