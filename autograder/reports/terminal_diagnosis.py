"""Render the diagnosis for a terminal: the mistake's name, the evidence, hints, and a program to redo by hand."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from autograder.diagnosis import NO_DIAGNOSIS, NamedMistake
from autograder.pictures import format_counterexample_with_tree
from autograder.repair.repair_diff import EditDiff
from autograder.reports.named_causes import (
    DisplayedCause,
    get_shown_repair_or_none,
    list_causes,
    list_repairs_of_named_causes,
)
from autograder.reports.report_model import ScoreReport
from autograder.reports.report_wording import PROGRAM_HEADING, format_mistakes_heading, format_proof_phrase

MOST_SENTENCES = 3


def iterate_rich_diagnosis(report: ScoreReport) -> Iterator[RenderableType]:
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
            yield indent(Text(f"First step of backward() that differs: {diagnosis.replay.difference.sentence}"), 4)
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
    yield indent(Text(suspect.explanation), 4)
    for rung, hint in enumerate(suspect.hints, start=1):
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
