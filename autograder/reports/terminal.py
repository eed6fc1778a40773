"""A score report for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from autograder.reports.model import ConceptPart, ScoreReport, TestPart

SIGNS = {
    "passed": ("✓", "green"),
    "failed": ("✗", "red"),
    "error": ("✗", "red"),
    "timeout": ("✗", "red"),
    "crashed": ("✗", "red"),
    "blocked": ("-", "yellow"),
    "not attempted": ("·", "dim"),
    "grader error": ("!", "magenta"),
}


def show(report: ScoreReport, console: Console) -> None:
    """Print a report: points per concept, then what did not hold, why, and what to try."""
    console.print(render(report))


def render(report: ScoreReport) -> RenderableType:
    """The report as something that rich prints; all text of the student's in it is literal."""
    parts: list[RenderableType] = [_title(report)]
    if report.status.message:
        parts.append(Padding(Text(report.status.message, style="bold red"), (0, 2)))
    parts += [Padding(Text(note, style="yellow"), (0, 2)) for note in report.notes]
    parts.append(Padding(_table(report), (1, 2)))
    if not report.status.message:
        for concept in report.concepts:
            parts += _concept(report, concept)
    return Group(*parts)


def number(points: float) -> str:
    """Points without a useless fraction: 7, 7.5, 7.25."""
    return f"{points:.2f}".rstrip("0").rstrip(".")


def _title(report: ScoreReport) -> Text:
    title = Text()
    title.append(report.submission.id, style="bold")
    title.append(f"  {report.assignment.name}  ")
    title.append(f"{number(report.score)} of {number(report.max_score)}", style="bold")
    if report.bonus.max_score:
        title.append(f"  + {number(report.bonus.score)} of {number(report.bonus.max_score)} bonus")
    title.append(f"  (isolation: {report.isolation.tier})", style="dim")
    return title


def _table(report: ScoreReport) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("concept")
    table.add_column("points", justify="right")
    table.add_column("tests")
    for concept in report.concepts:
        signs = Text()
        for test in _tests_of(report, concept):
            sign, style = SIGNS[test.outcome]
            signs.append(sign, style=style)
        name = concept.name + (" (bonus)" if concept.bonus else "")
        table.add_row(Text(name), f"{number(concept.score)} / {number(concept.max_score)}", signs)
    return table


def _tests_of(report: ScoreReport, concept: ConceptPart) -> list[TestPart]:
    return [test for test in report.tests if test.concept == concept.name]


def _concept(report: ScoreReport, concept: ConceptPart) -> Iterator[RenderableType]:
    lost = [test for test in _tests_of(report, concept) if test.outcome != "passed"]
    if not lost:
        return
    yield Text(concept.name, style="bold")
    grouped: dict[tuple[str, str], list[TestPart]] = {}
    for test in lost:
        same = (test.outcome, test.message) if test.outcome in ("blocked", "not attempted") else (test.id, "")
        grouped.setdefault(same, []).append(test)
    for tests in grouped.values():
        yield from _test(tests)
    yield Text("")


def _test(tests: list[TestPart]) -> Iterator[RenderableType]:
    first = tests[0]
    sign, style = SIGNS[first.outcome]
    line = Text()
    line.append(f"{sign} ", style=style)
    if len(tests) > 1:
        line.append(f"{first.message} ({len(tests)} tests {first.outcome})")
        yield Padding(line, (0, 0, 0, 2))
        return
    line.append(first.sentence)
    yield Padding(line, (0, 0, 0, 2))
    yield Padding(Text(f"{first.outcome}: {first.message}", style=style), (0, 0, 0, 6))
    if first.hint:
        yield Padding(Text(f"try: {first.hint}"), (0, 0, 0, 6))
