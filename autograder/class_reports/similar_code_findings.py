"""Describe submissions with equal or similar code: plain data that a page and a terminal show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

CAUTION = (
    "This is a list of questions, not of cheats. Students work from one lecture and one template, and a right "
    "program of thirty lines can be written in few ways. What the course gave and what many of this class have was "
    "left out; the rest may still come from a book, a tutor or a group that was allowed. A program can also be taken "
    "without its author's knowledge. Look at how many others share as much, at odd names, and at mistakes that both "
    "have; then talk to both students before you decide anything."
)
"""The meaning of a finding of equal code, shown wherever there is one."""


@dataclass(frozen=True, slots=True)
class SubmittedProgram:
    """The code of one submission, and its students."""

    name: str
    """The submission's id."""
    source: str
    owners: frozenset[str] = frozenset()
    """The students of the submission, where known; two attempts of the same student are not reported."""


@dataclass(frozen=True, slots=True)
class CodeLine:
    """One line of a program, and whether it is in a passage that both programs have."""

    number: int
    """From 1."""
    text: str
    shared: bool


@dataclass(frozen=True, slots=True)
class SimilarProgramPair:
    """Two programs with common passages that are neither given by the course nor common in the class."""

    names: tuple[tuple[str, ...], tuple[str, ...]]
    """The submissions on either side; several if they are equal except for names, comments and layout."""
    share: float
    """The share of the smaller program's own passages that the other one has, from 0 to 1."""
    shared: int
    """The number of common passages."""
    others: int
    """The number of other submissions of this class that share at least as much with one of the two."""
    lines: tuple[tuple[CodeLine, ...], tuple[CodeLine, ...]]


@dataclass(frozen=True, slots=True)
class SimilarCodeFindings:
    """Submissions that are the same or nearly the same."""

    programs: int
    """The number of compared programs."""
    identical: tuple[tuple[str, ...], ...]
    """Groups of submissions with the same code, letter for letter."""
    renamed: tuple[tuple[str, ...], ...]
    """Groups that are equal except for names, comments and layout, but differ in letters."""
    pairs: tuple[SimilarProgramPair, ...]
    """Near ones, the most similar first."""
    untouched: tuple[str, ...]
    """Submissions of the unchanged template, which are not a finding."""
    unread: tuple[str, ...]
    """Submissions that could not be compared."""
    common: int
    """The number of passages ignored because many programs of this class have them."""


def replace_submission_names(
    findings: SimilarCodeFindings, get_shown_name: Callable[[str], str]
) -> SimilarCodeFindings:
    """Return the finding with each submission under another name, and in the order of these names.

    Args:
        findings: who handed in the same or nearly the same.
        get_shown_name: returns the name that a submission is shown by.
    """

    def replace_names(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(sorted(map(get_shown_name, names)))

    def replace_group_names(groups: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
        return tuple(sorted(map(replace_names, groups), key=lambda names: (-len(names), names)))

    pairs = (_replace_pair_names(pair, replace_names) for pair in findings.pairs)
    return replace(
        findings,
        identical=replace_group_names(findings.identical),
        renamed=replace_group_names(findings.renamed),
        pairs=tuple(sorted(pairs, key=lambda pair: (-pair.share, -pair.shared, pair.names))),
        untouched=replace_names(findings.untouched),
        unread=replace_names(findings.unread),
    )


def _replace_pair_names(
    pair: SimilarProgramPair, replace_names: Callable[[tuple[str, ...]], tuple[str, ...]]
) -> SimilarProgramPair:
    (names, lines), (other_names, other_lines) = sorted(
        ((replace_names(names), lines) for names, lines in zip(pair.names, pair.lines, strict=True)),
        key=lambda names_and_lines: names_and_lines[0],
    )
    return replace(pair, names=(names, other_names), lines=(lines, other_lines))
