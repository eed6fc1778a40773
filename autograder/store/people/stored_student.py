"""Model everything that a store holds of one student of a course."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.store.people.person_pseudonymizer import PSEUDONYM
from autograder.store.results.submission_entry_rows import StoredSubmissionEntry
from autograder.store.web.account_tables import Enrolment
from autograder.store.web.hand_in_model import HandIn
from autograder.submissions.origin import TOGETHER


@dataclass(frozen=True, slots=True)
class StudentSubmissionEntry:
    """A submission of a student in a class of the course."""

    class_id: int
    assignment: str
    entry: StoredSubmissionEntry
    is_of_team: bool
    """Whether others handed it in, too."""


@dataclass(frozen=True, slots=True)
class StoredStudent:
    """One student of a course: account, hand-ins, submission entries, and the texts that may name them."""

    course: str
    login: str
    account: Enrolment | None
    """The account; None for a student known from batches only."""
    texts: frozenset[str]
    """Login, names and addresses, as they may stand in any text."""
    hand_ins: tuple[HandIn, ...]
    """Those of the web."""
    entries: tuple[StudentSubmissionEntry, ...]
    """Those of classes: what was graded, from the web or from a batch."""
    other_courses: tuple[str, ...]
    """Courses of the same store in which the account is enrolled, too."""

    @property
    def solo_hand_ins(self) -> list[HandIn]:
        """Return the hand-ins that the student made alone."""
        return [hand_in for hand_in in self.hand_ins if not _is_of_team(hand_in)]

    @property
    def team_hand_ins(self) -> list[HandIn]:
        """Return the hand-ins of the student's team, which belong to the other members, too."""
        return [hand_in for hand_in in self.hand_ins if _is_of_team(hand_in)]

    @property
    def solo_submission_count(self) -> int:
        """Return how many submissions the student handed in alone, in all assignments."""
        own = {(one.assignment, one.entry.name) for one in self.entries if not one.is_of_team}
        return len(own | {(one.assignment, one.submission) for one in self.solo_hand_ins})

    @property
    def team_submission_count(self) -> int:
        """Return how many submissions the student's teams handed in, in all assignments."""
        names = {(one.assignment, one.entry.name) for one in self.entries if one.is_of_team}
        return len(names | {(one.assignment, one.submission) for one in self.team_hand_ins})

    @property
    def solo_submission_names(self) -> frozenset[str]:
        """Return the names of what the student handed in alone."""
        names = {submission.entry.name for submission in self.entries if not submission.is_of_team}
        return frozenset(names | {hand_in.submission for hand_in in self.solo_hand_ins})

    @property
    def team_submission_names(self) -> frozenset[str]:
        """Return the names of what a team handed in."""
        names = {submission.entry.name for submission in self.entries if submission.is_of_team}
        return frozenset(names | {hand_in.submission for hand_in in self.team_hand_ins})


def _is_of_team(hand_in: HandIn) -> bool:
    """Return whether somebody else, who was not erased, handed it in, too."""
    return sum(not login.startswith(PSEUDONYM) for login in hand_in.owner.split(TOGETHER)) > 1
