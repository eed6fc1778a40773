"""Read the course's roster, match submissions with it, and find students without a submission."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from autograder.faults import translate_file_errors
from autograder.roster.roster_file import parse_roster_rows
from autograder.roster.row_claims import (
    RosterMatchResult,
    RowClaim,
    RowMatchStrength,
    resolve_row_claims,
)
from autograder.roster.row_finder import RosterRowFinder
from autograder.submissions import SubmissionEntry


class Roster:
    """A table with a row per student; the first column has the course's name for the student.

    If a table begins with parts of names, like Moodle's export of grades, a column that identifies students is moved
    to the front, where there is one.
    """

    def __init__(self, file_content: bytes, file_name: str) -> None:
        """Read the list.

        Args:
            file_content: CSV with a header, in UTF-8 or UTF-16, or a platform's list of members as JSON.
            file_name: its name, for messages.

        Raises:
            CallerFault: the content is not such a table, or two rows have the same first cell.
        """
        self._set_rows(parse_roster_rows(file_content, file_name))

    @classmethod
    def from_parsed_rows(cls, rows: Iterable[dict[str, str]]) -> Roster:
        """Return a roster of rows that an earlier roster had in ``rows``."""
        roster = cls.__new__(cls)
        roster._set_rows([*rows])
        return roster

    def _set_rows(self, rows: list[dict[str, str]]) -> None:
        self.rows = rows
        self._row_finder = RosterRowFinder(rows)

    def find_submission_row(self, submission_name: str) -> dict[str, str] | None:
        """Find the row of a submission with this name; None if no row or several match."""
        row, _ = self._row_finder.find_named_row(submission_name)
        return row

    def map_aliases_to_names(self, wanted_names: Iterable[str]) -> dict[str, str]:
        """Map all other names of the students that have one of these names to that name.

        Args:
            wanted_names: names. If two of them belong to one student, the name in the first column is used, or else
                the last one. A cell that several rows have, such as a group, is not a student's name.
        """
        match_by_row_id: dict[int, tuple[dict[str, str], str]] = {}
        for name in wanted_names:
            row = self.find_submission_row(name)
            if row and not (id(row) in match_by_row_id and match_by_row_id[id(row)][1] == _get_course_name(row)):
                match_by_row_id[id(row)] = (row, name)
        return {
            cell: name
            for row, name in match_by_row_id.values()
            for cell in row.values()
            if cell and cell != name and self.find_submission_row(cell) is row
        }

    def match_entries_to_rows(self, entries: Sequence[SubmissionEntry]) -> RosterMatchResult:
        """Return the entries of a class, each with its rows, and the disputes about rows."""
        return resolve_row_claims(entries, [self._make_claim(entry) for entry in entries])

    def list_students_without_entry(self, matched_entries: Iterable[SubmissionEntry]) -> list[str]:
        """Return the students without a submission, by the course's names.

        The entries must be those that ``match_entries_to_rows`` of this roster returned.
        """
        matched_ids = {id(row) for entry in matched_entries if entry.origin for row in entry.origin.roster}
        return [_get_course_name(row) for row in self.rows if id(row) not in matched_ids]

    def _make_claim(self, entry: SubmissionEntry) -> RowClaim:
        origin = entry.origin
        if origin is None or not (origin.people or origin.group):
            row, strength = self._row_finder.find_named_row(entry.name)
            return RowClaim((row,) if row else (), strength)
        if not origin.people:
            return RowClaim(
                tuple(self._row_finder.list_rows_of_group(origin.group)), RowMatchStrength.NAMED, origin.group
            )
        matches = [self._row_finder.find_person_row(person, origin.platform) for person in origin.people]
        rows = [row for row, _ in matches if row]
        return RowClaim(
            tuple(rows) if len(rows) == len(matches) else (), min(strength for _, strength in matches), origin.people
        )


def read_roster(path: Path) -> Roster:
    """Read the list in a file.

    Raises:
        CallerFault: the file cannot be read, or is not such a list.
    """
    with translate_file_errors(path, advice="name a CSV file with --roster"):
        return Roster(path.read_bytes(), str(path))


def _get_course_name(row: Mapping[str, str]) -> str:
    """Return the course's name for a student: the first cell of the row."""
    return next(iter(row.values()))
