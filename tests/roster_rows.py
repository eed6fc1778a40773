"""What a roster says of one student or of one submission, as if there were no others."""

from __future__ import annotations

from autograder.roster.roster import Roster, RosterRowFinder
from autograder.submissions import Person, SubmissionEntry


def find_student_row(roster: Roster, person: Person, platform_name: str) -> dict[str, str] | None:
    """The row of a person; None if no row or several would do."""
    return RosterRowFinder(roster.rows).find_person_row(person, platform_name)[0]


def with_roster_rows(roster: Roster, entry: SubmissionEntry) -> SubmissionEntry:
    """One entry with the rows that it belongs to."""
    return roster.match_entries_to_rows([entry]).entries[0]
