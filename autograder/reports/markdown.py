"""Render a score report as Markdown that GitHub, Gradescope and CommonMark read alike."""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import category

from autograder.reports.causes import ToldCause, causes_of
from autograder.reports.lost import Lost, lost_of, unshown
from autograder.reports.model import ScoreReport
from autograder.reports.words import (
    mistakes,
    notes_of,
    number,
    points_line,
    proof,
    provisional_line,
    spans,
    what_counts,
)

WITH_BACKSLASH = frozenset(r"\`*_{}[]()#+-.!:|^~=")
"""What may begin something: those that Redcarpet, too, takes back with a backslash."""
AS_NUMBER = frozenset("<>&$")
"""What may begin HTML or a formula; a number is text wherever it stands."""
BACKTICKS = re.compile("`+")
NO_TEXT = ("Cc", "Cs", "Cn")
"""Categories of what Markdown cannot say, or not everywhere: control characters, halves of a pair, nothing yet."""
MOST_SENTENCES = 3


def markdown_of(report: ScoreReport, *, tests: bool = True) -> str:
    """Return a report as compact Markdown: points, what went wrong, which tests did not pass.

    Args:
        report: already cut by ``audience.for_student`` for what the student is to see.
        tests: whether to say which tests did not pass; False for a platform that lists the tests itself.
    """
    parts = [
        *_head(report),
        _table(report),
        *diagnosis_parts(report, tests=tests),
        *(part for lost in (lost_of(report) if tests else ()) for part in _concept(lost)),
    ]
    if tests and (names := unshown(report)):
        parts.append(f"Not shown here: the tests that did not pass in {escaped(', '.join(names))}.")
    kit = f"Autograd Exercise Kit {report.kit_version}, isolation: {report.isolation.tier}"
    return "\n\n".join([*parts, escaped(kit)]) + "\n"


def escaped(text: str) -> str:
    """Return text as literal Markdown on one line, harmless as HTML too; what is not text becomes U+FFFD."""
    text = _said(text)
    inner = range(len(text) - len(text.lstrip()), len(text.rstrip()))
    return "".join(_literal(character, inside=at in inner) for at, character in enumerate(text))


def fenced(text: str) -> str:
    """Return lines of text as a code block, whatever backticks are in them."""
    longest = max((len(run) for run in BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{_said(text)}\n{fence}"


def with_code(text: str) -> str:
    """Return a text by the course as Markdown: parts between backticks are code, the rest is literal."""
    return "".join(f"`{part}`" if code else escaped(part).replace("&#32;", " ") for part, code in spans(text))


def _said(text: str) -> str:
    return "".join("\ufffd" if category(one) in NO_TEXT and one not in "\t\n" else one for one in text)


def _literal(character: str, *, inside: bool) -> str:
    if character in WITH_BACKSLASH:
        return f"\\{character}"
    plain = character.isprintable() and not (character.isspace() and not inside)
    return character if plain and character not in AS_NUMBER else f"&#{ord(character)};"


def _head(report: ScoreReport) -> Iterator[str]:
    late = report.lateness
    yield f"### {escaped(report.assignment.name)}: {escaped(report.submission.id)}"
    yield f"**{points_line(report)}**"
    if provisional := provisional_line(report):
        yield escaped(provisional)
    if late and late.seconds_late:
        yield escaped(what_counts(report, late))
    if report.status.message:
        yield f"**It could not be graded.** {escaped(report.status.message)}"
    if notes := notes_of(report):
        yield "\n".join(f"* {escaped(note)}" for note in notes)


def _table(report: ScoreReport) -> str:
    rows = [
        f"| {escaped(one.name)}{' (bonus)' if one.bonus else ''} | {number(one.score)} of {number(one.max_score)} |"
        for one in report.concepts
    ]
    return "\n".join(["| concept | points |", "| :-- | --: |", *rows])


def diagnosis_parts(report: ScoreReport, *, tests: bool = True) -> Iterator[str]:
    """Yield the mistake behind the failed tests, paragraph by paragraph; nothing if there is none.

    Args:
        report: the report that holds the diagnosis.
        tests: whether to name the tests that a mistake explains, and not only to count them.
    """
    diagnosis = report.diagnosis
    if diagnosis.verdict == "none":
        return
    if diagnosis.verdict == "named":
        yield f"#### {mistakes(len(diagnosis.causes)).capitalize()}"
        for cause in causes_of(report):
            yield from _cause(cause, tests=tests)
        if diagnosis.evidence:
            yield escaped(f"{proof(diagnosis.evidence, len(diagnosis.causes)).capitalize()}.")
    else:
        yield "#### What went wrong"
    if diagnosis.counterexample:
        yield f"The smallest program found that goes wrong:\n\n{fenced(diagnosis.counterexample.text)}"
    if diagnosis.verdict == "unknown":
        yield f"It has no name yet: {escaped(diagnosis.reason)}"


def _cause(cause: ToldCause, *, tests: bool) -> Iterator[str]:
    for start, one in cause.headings:
        hints = "\n".join(f"{rung}. {with_code(hint)}" for rung, hint in enumerate(one.hints, start=1))
        title = f"**{start.capitalize()}{with_code(one.title)}** ({escaped(', '.join(cause.concepts))})"
        yield f"{title}  \n{with_code(one.explanation)}" + (f"\n\n{hints}" if hints else "")
    if cause.tests and not tests:
        yield f"It {cause.explains}."
    elif cause.tests:
        first, *others = cause.sentences(MOST_SENTENCES)
        lines = [f"* ✗ {with_code(first)}  \n  {escaped(cause.happened)}"]
        lines += [f"* ✗ {with_code(sentence)}" for sentence in others]
        yield "\n".join([f"It {cause.explains}:\n", *lines])


def _concept(lost: Lost) -> Iterator[str]:
    if lost.above:
        yield f"**{escaped(lost.above)}**"
    yield f"#### {escaped(lost.concept.name)}"
    lines = []
    for tried in lost.tried:
        *first, last = tried.sentences
        lines += [f"* {tried.sign} {with_code(sentence)}" for sentence in first]
        hint = f"  \n  Try: {with_code(tried.hint)}" if tried.hint else ""
        lines.append(f"* {tried.sign} {with_code(last)}  \n  {escaped(tried.happened)}{hint}")
    lines += [
        f"* {untried.sign} {with_code(untried.line) if untried.is_own else escaped(untried.line)}"
        for untried in lost.untried
    ]
    yield "\n".join(lines)
