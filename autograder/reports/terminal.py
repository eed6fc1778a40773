"""Render a score report for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from autograder.grading.results import Outcome
from autograder.reports.diagnosis import diagnosis_of
from autograder.reports.lost import SIGNS, Lost, lost_of, tests_of
from autograder.reports.model import ScoreReport
from autograder.reports.words import notes_of, number, provisional_line, reached_line, what_counts
from autograder.text import clean

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


def show(report: ScoreReport, console: Console) -> None:
    """Print a report: points per concept, then what went wrong, why, and what to try."""
    console.print(render(report))


def text_of(report: ScoreReport) -> str:
    """Return a report as plain lines for viewers that show text as it is.

    There are no terminal codes in it, and no line that a student could begin.
    """
    output = StringIO()
    show(report, Console(file=output, width=WIDTH, color_system=None, force_terminal=False, _environ={}))
    return "\n".join(clean(line.rstrip(), 2 * WIDTH) for line in output.getvalue().split("\n")).strip("\n")


def render(report: ScoreReport) -> RenderableType:
    """Return the report as a rich renderable; all text from the student in it is literal."""
    parts: list[RenderableType] = [_title(report)]
    if provisional := provisional_line(report):
        parts.append(_line(provisional, 2, "yellow"))
    if report.lateness and report.lateness.seconds_late:
        parts.append(_line(what_counts(report, report.lateness), 2, "yellow"))
    if report.status.message:
        parts.append(_line(report.status.message, 2, "bold red"))
    parts += [_line(note, 2, "yellow") for note in notes_of(report)]
    parts.append(Padding(_table(report), (1, 2), expand=False))
    parts += diagnosis_of(report)
    for lost in lost_of(report):
        parts += _concept(lost)
    return Group(*parts)


def _title(report: ScoreReport) -> Text:
    title = Text()
    title.append(report.submission.id, style="bold")
    title.append(f"  {report.assignment.name}  ")
    title.append(reached_line(report), style="bold")
    title.append(f"  (isolation: {report.isolation.tier})", style="dim")
    return title


def _table(report: ScoreReport) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("concept")
    table.add_column("points", justify="right")
    table.add_column("tests")
    for concept in report.concepts:
        signs = Text()
        for test in tests_of(report, concept):
            signs.append(SIGNS[test.outcome], style=STYLES[test.outcome])
        name = concept.name + (" (bonus)" if concept.bonus else "")
        table.add_row(Text(name), f"{number(concept.score)} / {number(concept.max_score)}", signs)
    return table


def _concept(lost: Lost) -> Iterator[RenderableType]:
    """Yield a concept's lost tests: tried ones one by one, untried ones in a line for each reason."""
    if lost.above:
        yield Text(f"{lost.above}\n", style="bold yellow")
    yield Text(lost.concept.name, style="bold")
    for tried in lost.tried:
        style = STYLES[tried.outcome]
        for sentence in tried.sentences:
            yield Padding(Text.assemble((f"{tried.sign} ", style), sentence), (0, 0, 0, 2), expand=False)
        yield _indented(tried.happened, 6, style)
        if tried.hint:
            yield _indented(f"try: {tried.hint}", 6)
    for untried in lost.untried:
        yield _indented(f"{untried.sign} {untried.line}", 2, STYLES[untried.outcome])
    yield Text("")


def _line(text: str, by: int, style: str) -> Padding:
    return Padding(Text(text, style=style), (0, by), expand=False)


def _indented(text: str, by: int, style: str = "") -> Padding:
    return Padding(Text(text, style=style), (0, 0, 0, by), expand=False)
