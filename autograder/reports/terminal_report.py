"""Render a score report for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from autograder.grading.hidden_test_model import Outcome
from autograder.reports.decision_text import iterate_decision_lines_for_student
from autograder.reports.report_model import ScoreReport
from autograder.reports.report_wording import (
    format_lateness_line,
    format_points,
    format_points_ignoring_lateness,
    format_provisional_notice,
    list_notes_beyond_status,
)
from autograder.reports.terminal_diagnosis import indent, iterate_rich_diagnosis
from autograder.reports.unpassed_tests import (
    SIGNS,
    UnpassedTestsOfConcept,
    iterate_unexplained_tests_by_concept,
    list_tests_of_concept,
)
from autograder.safe_text import escape_for_display

WIDTH = 100

STYLES: dict[Outcome, str] = {
    "passed": "green",
    "failed": "red",
    "error": "red",
    "timeout": "red",
    "crashed": "red",
    "blocked": "yellow",
    "not attempted": "dim",
    "grader error": "magenta",
}


def print_report(report: ScoreReport, console: Console) -> None:
    """Print a report: points per concept, then what went wrong, why, and what to try."""
    console.print(_make_rich_report(report))


def render_report_as_plain_text(report: ScoreReport) -> str:
    """Return a report as plain lines for viewers that show text as it is.

    There are no terminal codes in it, and no line that a student could begin.
    """
    output = StringIO()
    print_report(report, Console(file=output, width=WIDTH, color_system=None, force_terminal=False, _environ={}))
    lines = (escape_for_display(line.rstrip(), 2 * WIDTH) for line in output.getvalue().split("\n"))
    return "\n".join(lines).strip("\n")


def _make_rich_report(report: ScoreReport) -> RenderableType:
    """Return the report as a rich renderable; all text from the student in it is literal."""
    parts: list[RenderableType] = [_make_title(report)]
    if notice := format_provisional_notice(report):
        parts.append(_make_line(notice, "yellow"))
    if report.lateness and report.lateness.seconds_late:
        parts.append(_make_line(format_lateness_line(report, report.lateness), "yellow"))
    parts += [_make_line(line, "bold") for line in iterate_decision_lines_for_student(report)]
    if report.fresh_look:
        parts.append(
            _make_line(f"right with the numbers of the tests, wrong with others: {report.fresh_look}", "magenta")
        )
    if report.status.message:
        parts.append(_make_line(report.status.message, "bold red"))
    parts += [_make_line(note, "yellow") for note in list_notes_beyond_status(report)]
    parts.append(Padding(_make_table(report), (1, 2), expand=False))
    parts += iterate_rich_diagnosis(report)
    for unpassed_tests in iterate_unexplained_tests_by_concept(report):
        parts += _iterate_concept_parts(unpassed_tests)
    return Group(*parts)


def _make_title(report: ScoreReport) -> Text:
    title = Text()
    title.append(report.submission.id, style="bold")
    title.append(f"  {report.assignment.name}  ")
    title.append(format_points_ignoring_lateness(report), style="bold")
    title.append(f"  (isolation: {report.isolation.tier})", style="dim")
    return title


def _make_table(report: ScoreReport) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("concept")
    table.add_column("points", justify="right")
    table.add_column("tests")
    for concept in report.concepts:
        signs = Text()
        for test in list_tests_of_concept(report, concept):
            signs.append(SIGNS[test.outcome], style=STYLES[test.outcome])
        name = concept.name + (" (bonus)" if concept.bonus else "")
        table.add_row(Text(name), f"{format_points(concept.score)} / {format_points(concept.max_score)}", signs)
    return table


def _iterate_concept_parts(unpassed_tests: UnpassedTestsOfConcept) -> Iterator[RenderableType]:
    """Yield a concept's lost tests: tried ones one by one, untried ones in a line for each reason."""
    if unpassed_tests.above:
        yield Text(f"{unpassed_tests.above}\n", style="bold yellow")
    yield Text(unpassed_tests.concept.name, style="bold")
    for tried_group in unpassed_tests.tried:
        style = STYLES[tried_group.outcome]
        for sentence in tried_group.sentences:
            yield indent(Text.assemble((f"{tried_group.outcome_symbol} ", style), sentence), 2)
        yield indent(Text(tried_group.happened, style), 6)
        if tried_group.hint:
            yield indent(Text(f"try: {tried_group.hint}"), 6)
    for untried_group in unpassed_tests.untried:
        line = f"{untried_group.outcome_symbol} {untried_group.line}"
        yield indent(Text(line, STYLES[untried_group.outcome]), 2)
    yield Text("")


def _make_line(text: str, style: str) -> Padding:
    return Padding(Text(text, style=style), (0, 2), expand=False)
