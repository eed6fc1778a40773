"""Write ``results.json`` as Otter does: a row per question. A question is a concept here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from autograder.platforms.model import Given
from autograder.platforms.plain import file_of
from autograder.platforms.points import counted
from autograder.reports import ScoreReport
from autograder.reports.causes import causes_of
from autograder.reports.hints import with_open_hints
from autograder.reports.model import TestPart
from autograder.reports.words import notes_of, number, of_which_bonus, provisional_line

DIGITS = 5
"""To which Otter rounds points."""


def results_json(report: ScoreReport, given: Given) -> Mapping[str, bytes]:
    """Make the file for one report; each row says what students see of it, and when.

    Raises:
        CallerFault: ``bonus`` is set to an unknown way to count one.
    """
    points, out_of = counted(report, given.settings.get("bonus", "")), report.final.max_score
    score = points * given.max_points / out_of if given.max_points and out_of else points
    of_which = of_which_bonus(report, points - report.final.score)
    words = [f"{number(points)} of {number(out_of)} points{of_which}."] if of_which else []
    output = "\n".join(text for text in (*words, said(report)) if text)
    written = {"score": round(score, DIGITS), "output": output, "tests": [*_rows(report)]}
    return {"results.json": file_of(written)}


def said(report: ScoreReport) -> str:
    """Return what is to be said about the whole submission."""
    late = [report.lateness.message] if report.lateness else []
    return "\n".join(
        text for text in (provisional_line(report), report.status.message, *late, *notes_of(report)) if text
    )


def summary(name: str, tests: Iterable[TestPart]) -> str:
    """Sum up some tests as Otter does: one sentence if all passed, otherwise the tests that did not pass."""
    failed = [test for test in tests if test.outcome != "passed"]
    if not failed:
        return f"{name} results: All test cases passed!"
    lines = [f"{name} results:"]
    for test in failed:
        told = [test.message or test.outcome, *([f"Try: {test.hint}"] if test.hint else [])]
        lines += [f"    {test.sentence}", *(f"        {line}" for line in told)]
    return "\n".join(lines)


def _rows(report: ScoreReport) -> Iterator[dict[str, Any]]:
    yield from _diagnosis(report)
    for concept in report.concepts:
        tests = [test for test in with_open_hints(report).tests if test.concept == concept.name]
        shown = [test for test in tests if test.visibility == "visible"]
        yield {
            "name": concept.name,
            "score": round(concept.score, DIGITS),
            "max_score": round(concept.max_score, DIGITS),
            "visibility": "visible",
            "output": summary(concept.name, shown) if shown else "",
        }
        for when in sorted({test.visibility for test in tests} - {"visible"}):
            later = [test for test in tests if test.visibility == when]
            status = "passed" if all(test.outcome == "passed" for test in later) else "failed"
            text = summary(concept.name, later)
            yield {"name": f"{concept.name}: tests", "visibility": when, "output": text, "status": status}


def _diagnosis(report: ScoreReport) -> Iterator[dict[str, Any]]:
    found = [one for cause in causes_of(report) for one in cause.suspects]
    if found:
        lines = [line for one in found for line in (one.title, f"    {one.explanation}", *_numbered(one.hints))]
        when = report.diagnosis.visibility
        yield {"name": "What went wrong", "visibility": when, "output": "\n".join(lines), "status": "failed"}


def _numbered(hints: Iterable[str]) -> list[str]:
    return [f"    {number}. {hint}" for number, hint in enumerate(hints, start=1)]
