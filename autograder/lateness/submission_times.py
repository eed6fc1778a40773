"""Hold the students and times of submissions, and compute lateness from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from autograder.course.deadline_rules import DeadlineRules
from autograder.lateness.extension_selection import StudentNames
from autograder.lateness.late_penalty import Lateness, compute_lateness_or_none
from autograder.lateness.reopened_attempts import ReopenedAttempt


@dataclass(frozen=True, slots=True)
class SubmissionTime:
    """The students of a submission, and when it was handed in."""

    student: str
    """The student or group as one text, the same for all of their attempts."""
    handed_in: datetime
    members: tuple[StudentNames, ...] = ()
    """Each student who handed it in, with all certain names; empty if only ``student`` is known."""


@dataclass(frozen=True, slots=True)
class SubmissionTimes:
    """The students and times of submissions, by submission id, with reopened attempts and chosen submissions."""

    by_submission_id: Mapping[str, SubmissionTime] = field(default_factory=dict)
    reopened: Mapping[str, ReopenedAttempt] = field(default_factory=dict)
    """Attempts that people reopened, by the student."""
    chosen: frozenset[str] = frozenset()
    """Submissions that take precedence over other attempts of their students, because the staff set their score."""

    def find_submission_time(self, submission_id: str) -> SubmissionTime | None:
        """Return a submission's students and time; None when it is not in the table."""
        return self.by_submission_id.get(submission_id)

    def compute_lateness_or_none(self, submission_id: str, deadline_rules: DeadlineRules) -> Lateness | None:
        """Compute how late a submission is; return None where that is not known, or nothing can be late."""
        row, reopening = self.find_submission_time(submission_id), self.find_reopened_attempt(submission_id)
        deadline_rules = reopening.make_deadline_rules(deadline_rules) if reopening else deadline_rules
        return compute_lateness_or_none(deadline_rules, row.student, row.handed_in, row.members) if row else None

    def find_reopened_attempt(self, submission_id: str) -> ReopenedAttempt | None:
        """Return the reopened attempt that a submission belongs to; None if it is an ordinary attempt."""
        row = self.find_submission_time(submission_id)
        if row is None:
            return None
        names = {row.student, *(name for member in row.members for name in member)}
        attempts = [
            attempt for name, attempt in self.reopened.items() if name in names and row.handed_in >= attempt.since
        ]
        return max(attempts, key=lambda attempt: attempt.since, default=None)

    def list_extensions_without_submission(self, deadline_rules: DeadlineRules) -> list[str]:
        """Return students with an extension but no submission time, perhaps because their name is spelt otherwise."""
        known_names = {
            name
            for row in self.by_submission_id.values()
            for names in ((row.student,), *row.members)
            for name in names
        }
        return [student for student, _ in deadline_rules.extensions if student not in known_names]
