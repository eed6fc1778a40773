"""Show an overview in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from autograder.class_reports.class_overview import TENTHS, ClassOverview, SubmissionGroup, TestStatistics
from autograder.class_reports.overview_page import format_percentage, format_points_of_tenth
from autograder.list_and_count_wording import format_abbreviated_list, format_count
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
    yield Text(_title(overview), style="bold")
    if other_overview:
        yield Text(f"beside: {_title(other_overview)}", style="dim")
    yield _histogram(overview, other_overview)
    hardest = [one for one in overview.tests if one.failed and not one.bonus][:MOST]
    if hardest:
        yield _tests(hardest, other_overview)
    for title, groups in (
        ("mistakes", overview.mistakes),
        ("could not be graded", overview.ungradable),
        ("late", overview.late),
        ("versions", overview.versions),
    ):
        if groups:
            yield _groups(title, groups)
    for title, names in (
        ("mistakes without a name", overview.unnamed),
        ("provisional", overview.provisional),
        ("no result yet", overview.missing),
        ("decided by people", overview.decided),
    ):
        if names:
            yield Text(f"{title}: {len(names)} ({format_abbreviated_list([*names])})")


def _title(overview: ClassOverview) -> str:
    final, reached = overview.final, overview.reached
    before = f" (before lateness {format_points(reached.mean_or_zero)})" if reached.points != final.points else ""
    return (
        f"{escape_for_display(overview.title)}, {escape_for_display(overview.where, 200)}: "
        f"{format_count(overview.submissions, 'submission')}, "
        f"{overview.counting} count; mean {format_points(final.mean_or_zero)}{before}, "
        f"median {format_points(final.median_or_zero)} of {format_points(final.max_score)}; "
        f"full marks {format_percentage(overview.full_marks_share)}"
    )


def _histogram(overview: ClassOverview, beside: ClassOverview | None) -> Table:
    table = _table("points", "count", *(["beside"] if beside else []), "")
    longest = max((*overview.final.counts_by_tenth_and_full, 1))
    for place in reversed(range(TENTHS + 1)):
        count = overview.final.counts_by_tenth_and_full[place]
        other = [str(beside.final.counts_by_tenth_and_full[place])] if beside else []
        bar = "█" * round(BAR * count / longest)
        table.add_row(format_points_of_tenth(place, overview.final.max_score), str(count), *other, bar)
    return table


def _tests(hardest: list[TestStatistics], beside: ClassOverview | None) -> Table:
    table = _table("hardest tests", "fail", *(["beside"] if beside else []))
    for test in hardest:
        there = beside.find_test_statistics(test.id) if beside else None
        other = [format_percentage(there.failed_share) if there else "–"] if beside else []
        table.add_row(Text(escape_for_display(test.id, 120)), format_percentage(test.failed_share), *other)
    return table


def _groups(title: str, groups: tuple[SubmissionGroup, ...]) -> Table:
    table = _table(title, "count", "who")
    for group in groups[:MOST]:
        table.add_row(
            Text(escape_for_display(group.title, 120)),
            str(len(group.names)),
            Text(format_abbreviated_list([*group.names])),
        )
    if len(groups) > MOST:
        table.add_row(f"... and {len(groups) - MOST} more", "", "")
    return table


def _table(*titles: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in titles:
        table.add_column(title, justify="right" if title in ("count", "fail", "beside") else "left")
    return table
