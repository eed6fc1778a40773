"""Assign rows of the roster to submissions, and resolve or report conflicts about a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from autograder.english_wording import join_with_and
from autograder.safe_text import escape_name_unambiguously
from autograder.submissions import Person, SubmissionEntry, SubmissionOrigin

Row = dict[str, str]


class RowMatchStrength(IntEnum):
    """How certain the match of a row is."""

    NAMED = 1
    """By name, which students and groups can choose themselves."""
    ALIKE = 2
    """By id, login or e-mail address, ignoring differences such as capitals."""
    EXACT = 3


@dataclass(frozen=True, slots=True)
class RowClaim:
    """The rows that match one submission, before other submissions are considered."""

    rows: tuple[Row, ...]
    strength: RowMatchStrength
    owner: tuple[Person, ...] | str = ""
    """The submission's owner on the platform, the same for all attempts of one student."""


@dataclass(frozen=True, slots=True)
class RosterMatchResult:
    """All entries of a class, each with its rows of the roster if it has any, and the disputes about rows."""

    entries: list[SubmissionEntry]
    disputes: tuple[str, ...] = ()
    """A sentence for each submission that seems to match a student, but is left unmatched."""


def resolve_row_claims(entries: Sequence[SubmissionEntry], claims: Sequence[RowClaim]) -> RosterMatchResult:
    """Return each entry with its rows, and a sentence for each dispute.

    The strongest claim to a row wins, so an id beats a name. If several students' claims are equally strong, none of
    them gets the row; attempts of one student share it.
    """
    best_strength: dict[int, RowMatchStrength] = {}
    for claim in claims:
        for row in claim.rows:
            best_strength[id(row)] = max(claim.strength, best_strength.get(id(row), claim.strength))
    holders: dict[int, dict[tuple[Person, ...] | str, str]] = {}
    for entry, claim in zip(entries, claims, strict=True):
        for row in claim.rows:
            if claim.strength == best_strength[id(row)]:
                holders.setdefault(id(row), {}).setdefault(claim.owner, entry.name)
    matched_entries, disputes = [], {}
    for entry, claim in zip(entries, claims, strict=True):
        lost_rows = [
            row for row in claim.rows if claim.strength < best_strength[id(row)] or len(holders[id(row)]) > 1
        ]
        rows = () if lost_rows else claim.rows
        matched_entries.append(replace(entry, origin=replace(entry.origin or SubmissionOrigin(""), roster=rows)))
        for row in lost_rows:
            is_weaker = claim.strength < best_strength[id(row)]
            disputes[_format_dispute(entry.name if is_weaker else "", row, [*holders[id(row)].values()])] = True
    return RosterMatchResult(matched_entries, tuple(disputes))


def _format_dispute(weaker_name: str, row: Row, holders: Sequence[str]) -> str:
    """Say why submissions are left unmatched: ``weaker_name`` alone, or all holders."""
    student, names = (
        escape_name_unambiguously(next(iter(row.values())), 80),
        join_with_and([escape_name_unambiguously(holder, 80) for holder in holders[:5]]),
    )
    if weaker_name:
        shown_name = escape_name_unambiguously(weaker_name, 80)
        return f"ambiguous roster match for {shown_name}; left unmatched, because {names} matches {student} better"
    return f"ambiguous roster match for {names}; left unmatched, because all match {student}"
