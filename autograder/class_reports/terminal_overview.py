"""Show an overview in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from autograder.class_reports.class_overview_model import TENTHS, ClassOverview, SubmissionGroup, TestStatistics
from autograder.class_reports.overview_page import format_percentage, format_points_of_tenth
from autograder.english_wording import format_abbreviated_list, format_count
from autograder.reports.report_wording import format_points
from autograder.safe_text import escape_for_display

BAR = 30
MOST = 8


def iterate_rich_overview_parts(
    overview: ClassOverview, other_overview: ClassOverview | None = None
) -> Iterator[Text | Table]:
    """Yield the parts of an overview for a rich console; all text in them is literal.

    Args:
        overview: the class.
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
        table.add_row(format_points_of_tenth(index, overview.final.max_score), str(count), *other_cells, bar)
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
