"""A score report for a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sized

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from autograder.reports.diagnosis import diagnosis_of
from autograder.reports.model import ConceptPart, LatenessPart, ScoreReport, TestPart

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

UNTRIED = ("blocked", "not attempted")
NOT_WRITTEN = re.compile(r"(`\w+`) is not written yet\.")
MOST_SENTENCES = 3


def show(report: ScoreReport, console: Console) -> None:
    """Print a report: points per concept, then what did not hold, why, and what to try."""
    console.print(render(report))


def render(report: ScoreReport) -> RenderableType:
    """The report as something that rich prints; all text of the student's in it is literal."""
    parts: list[RenderableType] = [_title(report)]
    if report.lateness and report.lateness.seconds_late:
        parts.append(Padding(Text(_counts(report, report.lateness), style="yellow"), (0, 2), expand=False))
    if report.status.message:
        parts.append(Padding(Text(report.status.message, style="bold red"), (0, 2), expand=False))
    notes = [note for note in report.notes if note not in report.status.message]
    parts += [Padding(Text(note, style="yellow"), (0, 2), expand=False) for note in notes]
    parts.append(Padding(_table(report), (1, 2), expand=False))
    parts += diagnosis_of(report)
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


def _counts(report: ScoreReport, lateness: LatenessPart) -> str:
    """What is left of the points, and why."""
    if not lateness.percent_off:
        return lateness.message
    bonus = f" + {number(report.final.bonus)}" if report.bonus.max_score else ""
    return f"{number(report.final.score)}{bonus} of these points count. {lateness.message}"


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
    """A concept's lost tests: what was tried one by one, what was not all together."""
    lost = [test for test in _tests_of(report, concept) if test.outcome != "passed"]
    if not lost:
        return
    yield Text(concept.name, style="bold")
    grouped: dict[tuple[str, str], list[TestPart]] = {}
    for test in lost:
        grouped.setdefault((test.outcome, test.message), []).append(test)
    tried = [tests for (outcome, _), tests in grouped.items() if outcome not in UNTRIED]
    for place, tests in enumerate(tried):
        repeated = place > 0 and tried[place - 1][0].hint == tests[0].hint
        yield from _tests(tests, hinted=not repeated)
    yield from _untried([test for test in lost if test.outcome in UNTRIED])
    yield Text("")


def _tests(tests: list[TestPart], *, hinted: bool) -> Iterator[RenderableType]:
    """Tests that ended alike; a hint that was just given is not given again."""
    sign, style = SIGNS[tests[0].outcome]
    for test in tests[:MOST_SENTENCES]:
        yield Padding(Text.assemble((f"{sign} ", style), test.sentence), (0, 0, 0, 2), expand=False)
    if len(tests) > MOST_SENTENCES:
        more = f"and {len(tests) - MOST_SENTENCES} more tests"
        yield Padding(Text.assemble((f"{sign} ", style), more), (0, 0, 0, 2), expand=False)
    yield Padding(Text(f"{tests[0].outcome}: {tests[0].message}", style=style), (0, 0, 0, 6), expand=False)
    if tests[0].hint and hinted:
        yield Padding(Text(f"try: {tests[0].hint}"), (0, 0, 0, 6), expand=False)


def _untried(tests: list[TestPart]) -> Iterator[RenderableType]:
    """What could not be tried, in a line for each reason."""
    missing = [match[1] for test in tests if (match := NOT_WRITTEN.fullmatch(test.message))]
    if missing:
        sign, style = SIGNS["not attempted"]
        names = ", ".join(dict.fromkeys(missing))
        yield Padding(
            Text(f"{sign} not written yet: {names} ({_count(missing)})", style=style), (0, 0, 0, 2), expand=False
        )
    rest = [test for test in tests if not NOT_WRITTEN.fullmatch(test.message)]
    for message in dict.fromkeys(test.message for test in rest):
        same = [test for test in rest if test.message == message]
        sign, style = SIGNS[same[0].outcome]
        line = f"{sign} {same[0].outcome}: {message} ({_count(same)})"
        yield Padding(Text(line, style=style), (0, 0, 0, 2), expand=False)


def _count(tests: Sized) -> str:
    return f"{len(tests)} test{'s' if len(tests) > 1 else ''}"
