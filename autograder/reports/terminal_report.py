"""Render a score report for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from autograder.diagnosis import NO_DIAGNOSIS, NamedMistake
from autograder.grading.results import Outcome
from autograder.pictures import format_counterexample_with_tree, has_wrong_order
from autograder.repair.model import EditDiff
from autograder.reports.causes import (
    DisplayedCause,
    get_shown_repair_or_none,
    list_causes,
    list_repairs_of_named_causes,
)
from autograder.reports.report_model import ScoreReport
from autograder.reports.unpassed_tests import (
    SIGNS,
    UnpassedTestsOfConcept,
    iterate_unexplained_tests_by_concept,
    list_tests_of_concept,
)
from autograder.reports.wording import (
    PROGRAM_HEADING,
    format_concept_name,
    format_full_marks_line,
    format_lateness_line,
    format_mistakes_heading,
    format_points,
    format_points_ignoring_lateness,
    format_proof_phrase,
    format_provisional_notice,
    iterate_decision_lines_for_student,
    list_notes_beyond_status,
)
from autograder.text import escape_for_display

MOST_SENTENCES = 3


def _iterate_rich_diagnosis(report: ScoreReport) -> Iterator[RenderableType]:
    """Yield what a report says about the mistakes behind failed tests; nothing if there are none."""
    diagnosis, causes = report.diagnosis, list_causes(report)
    if causes:
        yield Text(format_mistakes_heading(len(causes)), "bold")
        for cause in causes:
            yield from _iterate_cause_parts(cause)
        if diagnosis.evidence:
            yield indent(Text(format_proof_phrase(diagnosis.evidence), "dim"), 2)
        for cause in list_repairs_of_named_causes(report):
            yield from _iterate_cause_parts(cause)
        yield Text("")
    if diagnosis.counterexample:
        yield Text(PROGRAM_HEADING, "bold")
        yield indent(Text(format_counterexample_with_tree(diagnosis.counterexample, diagnosis.replay)), 4)
        if diagnosis.replay and diagnosis.replay.difference:
            yield Text("")
            yield indent(Text(f"First step that differs: {diagnosis.replay.difference.sentence}"), 4)
            if has_wrong_order(diagnosis.replay):
                runs = (diagnosis.replay.student, diagnosis.replay.reference)
                own, right = (", ".join(step.node for step in run.steps if step.node) for run in runs)
                yield indent(Text(f"Your order of calls: {own}. The reference goes in its own: {right}."), 4)
        yield Text("")
    if get_shown_repair_or_none(report):
        return
    if diagnosis.reason == NO_DIAGNOSIS:
        yield Text(NO_DIAGNOSIS, "dim")
        yield Text("")
    elif diagnosis.verdict == "unknown":
        yield Text(f"what went wrong has no name yet: {diagnosis.reason}", "dim")
        yield Text("")


def _iterate_cause_parts(cause: DisplayedCause) -> Iterator[RenderableType]:
    for prefix, suspect in cause.suspects_with_prefix:
        suffix = f" {cause.concepts_suffix}" if cause.concepts_suffix else ""
        yield indent(Text.assemble((f"{prefix}{suspect.title}", "bold red"), suffix), 2)
        yield from _iterate_suspect_parts(suspect)
    for diff in cause.diffs:
        yield from iterate_rich_diff(diff)
    if cause.tests:
        yield indent(Text(f"{cause.explained_tests_phrase}:", "dim"), 4)
        for index, sentence in enumerate(cause.list_test_sentences(MOST_SENTENCES)):
            yield indent(Text.assemble(("✗ ", "red"), (sentence, "dim")), 6)
            if index == 0:
                yield indent(Text(cause.first_failure_text, "red"), 10)


def _iterate_suspect_parts(suspect: NamedMistake) -> Iterator[RenderableType]:
    yield indent(Text(suspect.whole_explanation), 4)
    for rung, hint in enumerate(suspect.ladder, start=1):
        yield indent(Text(f"{rung}. {hint}"), 4)


def iterate_rich_diff(diff: EditDiff) -> Iterator[RenderableType]:
    """Yield the lines of a change: what goes in red, what comes in green."""
    yield indent(Text(f"{diff.file}, line {diff.line}", "dim"), 4)
    for line in diff.lines:
        number = f"{line.number:>4}" if line.number else "    "
        style = {"-": "red", "+": "green", " ": ""}[line.sign]
        yield indent(Text.assemble((f"{number} ", "dim"), (f"{line.sign} {line.text}", style)), 4)


def indent(text: Text, width: int) -> Padding:
    """Return a text behind so many blanks."""
    return Padding(text, (0, 0, 0, width), expand=False)


WIDTH = 100

STYLES: dict[Outcome, str] = {
    "passed": "green", "failed": "red", "error": "red", "timeout": "red", "crashed": "red", "blocked": "yellow",
    "not attempted": "dim", "grader error": "magenta",
}  # fmt: skip


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
    if all_holds := format_full_marks_line(report):
        parts.append(_make_line(all_holds, "bold green"))
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
    parts += _iterate_rich_diagnosis(report)
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
        table.add_row(
            Text(format_concept_name(concept)),
            f"{format_points(concept.score)} / {format_points(concept.max_score)}",
            signs,
        )
    return table


def _iterate_concept_parts(unpassed_tests: UnpassedTestsOfConcept) -> Iterator[RenderableType]:
    """Yield a concept's lost tests: tried ones one by one, untried ones in a line for each reason."""
    if unpassed_tests.above:
        yield Text(f"{unpassed_tests.above}\n", style="bold yellow")
    yield Text(format_concept_name(unpassed_tests.concept), style="bold")
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
