"""Describe who handed in the same or nearly the same: plain data that a page and a terminal show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class SubmittedProgram:
    """The code of one submission, and whose it is."""

    name: str
    """The submission's id."""
    source: str
    owners: frozenset[str] = frozenset()
    """The students whose it is, as far as that is known: two attempts of one are no finding."""


@dataclass(frozen=True, slots=True)
class CodeLine:
    """One line of a program, and whether it is in a passage that both have."""

    number: int
    """From 1."""
    text: str
    shared: bool


@dataclass(frozen=True, slots=True)
class SimilarProgramPair:
    """Two programs with passages in common that neither the course gave nor many others have."""

    names: tuple[tuple[str, ...], tuple[str, ...]]
    """The submissions on either side: several where they are equal but for names, comments and layout."""
    share: float
    """What part of the smaller one's own passages the other has, from 0 to 1."""
    shared: int
    """How many passages both have."""
    others: int
    """How many other submissions of this class have as large a part in common with one of the two."""
    lines: tuple[tuple[CodeLine, ...], tuple[CodeLine, ...]]


@dataclass(frozen=True, slots=True)
class SimilarCodeFindings:
    """Who handed in the same or nearly the same."""

    programs: int
    """How many were compared."""
    identical: tuple[tuple[str, ...], ...]
    """Groups with the same bytes."""
    renamed: tuple[tuple[str, ...], ...]
    """Groups that are equal but for names, comments and layout, and not to the byte."""
    pairs: tuple[SimilarProgramPair, ...]
    """Near ones, the most similar first."""
    untouched: tuple[str, ...]
    """Submissions that are the template: no finding."""
    unread: tuple[str, ...]
    """Submissions that could not be compared."""
    common: int
    """How many passages were left out because many programs of this class have them."""


def replace_submission_names(
    findings: SimilarCodeFindings, get_shown_name: Callable[[str], str]
) -> SimilarCodeFindings:
    """Return the finding with each submission under another name.

    Args:
        findings: who handed in the same or nearly the same.
        get_shown_name: returns the name that a submission is shown by.
    """

    def shown(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(get_shown_name, names))

    return replace(
        findings,
        identical=tuple(map(shown, findings.identical)),
        renamed=tuple(map(shown, findings.renamed)),
        pairs=tuple(replace(one, names=(shown(one.names[0]), shown(one.names[1]))) for one in findings.pairs),
        untouched=shown(findings.untouched),
        unread=shown(findings.unread),
    )
