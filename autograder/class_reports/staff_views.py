"""Show the staff the overview of a class and its similar programs, as pages and in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from rich.table import Table
from rich.text import Text

from autograder.class_reports.class_overview import TENTHS, ClassOverview, SubmissionGroup, TestStatistics
from autograder.class_reports.code_similarity import CAUTION, CodeLine, SimilarCodeFindings, SimilarProgramPair
from autograder.reports.html_report import make_page_environment
from autograder.reports.wording import format_points
from autograder.text import escape_for_display, format_abbreviated_list, format_count

if TYPE_CHECKING:
    from jinja2 import Environment


TEMPLATES = Path(__file__).parent
STYLE = TEMPLATES / "staff_parts.css"


def _render_staff_page(template_name: str, **values: Any) -> bytes:
    """Return a stand-alone page as UTF-8; characters that cannot be encoded become visible escapes."""
    page = _make_environment().get_template(template_name).render(layout="staff_page.html.j2", **values)
    return page.encode("utf-8", "backslashreplace")


@cache
def _make_environment() -> Environment:
    environment = make_page_environment(TEMPLATES)
    environment.globals.update(style=Markup(STYLE.read_text(encoding="utf-8")))
    return environment


MOST_TESTS = 12
"""How many of the hardest tests are shown unfolded."""


OVERVIEW_TEMPLATE = "overview.html.j2"


def render_overview_page(overview: ClassOverview, other_overview: ClassOverview | None = None) -> bytes:
    """Return an overview as HTML, with all text of students escaped.

    Args:
        other_overview: another class, or an earlier version, to be compared with it.
    """
    values = make_overview_template_values(overview, other_overview, "Run `autograder batch` again.")
    return _render_staff_page(OVERVIEW_TEMPLATE, **values)


def make_overview_template_values(
    overview: ClassOverview,
    other_overview: ClassOverview | None,
    advice_on_unfinished_submissions: str,
    most_names: int | None = None,
) -> dict[str, Any]:
    """Return what the template of an overview shows.

    Args:
        other_overview: another class to be compared with it; None without one.
        advice_on_unfinished_submissions: what to do about submissions that have no result or a provisional one.
        most_names: how many submissions of a group are named; all when None.
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
        "most_names": most_names,
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


def _format_points_of_tenth(tenth_index: int, max_score: float) -> str:
    """Return the range of points of a bin, such as ``10 to < 20``; the last bin is full marks.

    >>> _format_points_of_tenth(1, 100), _format_points_of_tenth(TENTHS, 100)
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
            "label": _format_points_of_tenth(index, overview.final.max_score),
            "final": final_counts[index],
            "reached": reached_counts[index],
            "beside": other_counts[index] if other_counts else None,
            "final_bar": final_counts[index] / max_count,
            "reached_bar": reached_counts[index] / max_count,
            "beside_bar": other_counts[index] / other_max_count if other_counts else 0.0,
        }
        for index in reversed(range(TENTHS + 1))
    ]


SIMILAR_CODE_TEMPLATE = "similar.html.j2"
MOST_SHOWN = 25
"""Pairs whose code is shown; the others are listed."""
CONTEXT = 2
"""Lines shown around a passage that both have."""
LONGEST_LINE = 200
MOST_LINES = 400


def encode_similar_code_page(findings: SimilarCodeFindings, assignment_title: str, output_folder: str) -> bytes:
    """Return the page as HTML, with all text of students escaped."""
    values = make_similar_code_template_values(findings, assignment_title, {})
    return _render_staff_page(SIMILAR_CODE_TEMPLATE, where=output_folder, **values)


def make_similar_code_template_values(
    findings: SimilarCodeFindings,
    assignment_title: str,
    page_link_by_submission_id: dict[str, str],
    most_names: int | None = None,
    most_lines: int | None = None,
    most_rows: int | None = None,
) -> dict[str, Any]:
    """Return the values for the template, except the location of the class.

    Args:
        page_link_by_submission_id: where a submission's page is, by its id.
        most_names: how many submissions of a group are named; all when None.
        most_lines: how many lines of code are shown, of whole pairs from the first on; any number when None.
        most_rows: how many groups or pairs a table lists, the largest and the most similar ones; all when None.
    """
    shown_pairs: list[tuple[SimilarProgramPair, list[list[CodeLine | int]]]] = []
    line_count = 0
    for pair in findings.pairs[:MOST_SHOWN]:
        sides = [[*_fold_lines(lines)] for lines in pair.lines]
        line_count += sum(map(len, sides))
        if shown_pairs and most_lines is not None and line_count > most_lines:
            break
        shown_pairs.append((pair, sides))
    return {
        "similar": findings,
        "title": assignment_title,
        "links": page_link_by_submission_id,
        "pairs": shown_pairs,
        "most_names": most_names,
        "most_rows": most_rows,
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


BAR = 30
MOST = 8


def iterate_rich_overview_parts(
    overview: ClassOverview, other_overview: ClassOverview | None = None
) -> Iterator[Text | Table]:
    """Yield the parts of an overview for a rich console; all text in them is literal.

    Args:
        other_overview: another class, or an earlier version, to be compared with it.
    """
    yield Text(_format_title(overview), style="bold")
    if other_overview:
        yield Text(f"beside: {_format_title(other_overview)}", style="dim")
    yield _make_histogram(overview, other_overview)
    hardest = [test for test in overview.tests if test.failed and not test.bonus][:MOST]
    if hardest:
        yield _make_test_table(hardest, other_overview)
    for title, groups in (
        ("mistakes", overview.mistakes),
        ("could not be graded", overview.ungradable),
        ("late", overview.late),
        ("versions", overview.versions),
    ):
        if groups:
            yield _make_group_table(title, groups)
    for title, names in (
        ("mistakes without a name", overview.unnamed),
        ("provisional", overview.provisional),
        ("wrong with fresh numbers", overview.wrong_with_fresh_numbers),
        ("no result yet", overview.missing),
        ("decided by people", overview.decided),
    ):
        if names:
            yield Text(f"{title}: {len(names)} ({format_abbreviated_list([*names])})")


def _format_title(overview: ClassOverview) -> str:
    final_points, reached_points = overview.final, overview.reached
    reached_phrase = (
        f" (before lateness {format_points(reached_points.mean_or_zero)})"
        if reached_points.points != final_points.points
        else ""
    )
    return (
        f"{escape_for_display(overview.title)}, {escape_for_display(overview.where, 200)}: "
        f"{format_count(overview.submissions, 'submission')}, "
        f"{overview.counting} count; mean {format_points(final_points.mean_or_zero)}{reached_phrase}, "
        f"median {format_points(final_points.median_or_zero)} of {format_points(final_points.max_score)}; "
        f"full marks {format_percentage(overview.full_marks_share)}"
    )


def _make_histogram(overview: ClassOverview, other_overview: ClassOverview | None) -> Table:
    table = _make_table("points", "count", *(["beside"] if other_overview else []), "")
    max_count = max((*overview.final.counts_by_tenth_and_full, 1))
    for index in reversed(range(TENTHS + 1)):
        count = overview.final.counts_by_tenth_and_full[index]
        other_cells = [str(other_overview.final.counts_by_tenth_and_full[index])] if other_overview else []
        bar = "█" * round(BAR * count / max_count)
        table.add_row(_format_points_of_tenth(index, overview.final.max_score), str(count), *other_cells, bar)
    return table


def _make_test_table(hardest: list[TestStatistics], other_overview: ClassOverview | None) -> Table:
    table = _make_table("hardest tests", "fail", *(["beside"] if other_overview else []))
    for test in hardest:
        other_test = other_overview.find_test_statistics(test.id) if other_overview else None
        other_cells = [format_percentage(other_test.failed_share) if other_test else "–"] if other_overview else []
        table.add_row(Text(escape_for_display(test.id, 120)), format_percentage(test.failed_share), *other_cells)
    return table


def _make_group_table(title: str, groups: tuple[SubmissionGroup, ...]) -> Table:
    table = _make_table(title, "count", "who")
    for group in groups[:MOST]:
        table.add_row(
            Text(escape_for_display(group.title, 120)),
            str(len(group.names)),
            Text(format_abbreviated_list([*group.names])),
        )
    if len(groups) > MOST:
        table.add_row(f"... and {len(groups) - MOST} more", "", "")
    return table


def _make_table(*titles: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in titles:
        table.add_column(title, justify="right" if title in ("count", "fail", "beside") else "left")
    return table
