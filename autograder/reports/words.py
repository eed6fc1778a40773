"""Sentences and numbers of a report that are the same wherever it is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sized

from autograder.diagnosis import Evidence
from autograder.reports.model import LatenessPart, ScoreReport

CODE = re.compile(r"`([^`\n]+)`")


def number(points: float) -> str:
    """Points without a useless fraction: 7, 7.5, 7.25."""
    return f"{points:.2f}".rstrip("0").rstrip(".")


def counted_tests(tests: Sized) -> str:
    """``1 test``, ``2 tests``."""
    return f"{len(tests)} test{'s' if len(tests) > 1 else ''}"


def points_line(report: ScoreReport) -> str:
    """What counts in the end, in words."""
    final = report.final
    points = f"{number(final.score)} of {number(final.max_score)} points"
    return (
        f"{points}, and {number(final.bonus)} of {number(report.bonus.max_score)} bonus"
        if report.bonus.max_score
        else points
    )


def what_counts(report: ScoreReport, lateness: LatenessPart) -> str:
    """What is left of the points, and why."""
    if not lateness.percent_off:
        return lateness.message
    counts, had = number(report.final.score), number(report.score)
    if report.bonus.max_score:
        counts, had = f"{counts} + {number(report.final.bonus)}", f"{had} + {number(report.bonus.score)}"
    return f"{counts} of the {had} points count. {lateness.message}"


def notes_of(report: ScoreReport) -> list[str]:
    """The notes that the status does not say already."""
    return [note for note in report.notes if note not in report.status.message]


def proof(evidence: Evidence, causes: int) -> str:
    """Why mistakes are named, in a sentence."""
    tests = "the failed test" if evidence.tests == 1 else f"all {evidence.tests} failed tests"
    wrong = f"{evidence.telling} of them wrong" if evidence.telling else "all of them right"
    gives = "this mistake gives" if causes == 1 else "these mistakes give"
    return f"proof: {tests} and {evidence.programs} fresh programs ({wrong}) gave exactly what {gives}"


def mistakes(causes: int) -> str:
    """The heading over the named ones."""
    return f"what went wrong: {causes} mistakes at once" if causes > 1 else "what went wrong"


def spans(text: str) -> Iterator[tuple[str, bool]]:
    """The parts of a text of the course's own, each with whether it stands between backticks, which is code."""
    for place, part in enumerate(CODE.split(text)):
        if part:
            yield part, place % 2 == 1
