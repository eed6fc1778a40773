"""Read ``submission_metadata.json``: the students of a submission, and when it came."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from autograder.course.deadline_and_attempt_rules import DeadlineAndAttemptRules
from autograder.course.time_parsing_and_formatting import InvalidTime, parse_time
from autograder.faults import KitFault, make_file_fault
from autograder.lateness import Lateness, compute_lateness_or_none
from autograder.student_name_normalization import normalize_student_name_for_comparison


class GradescopeStudent(Struct, frozen=True):
    """One of those who handed in; several in a group."""

    email: str | None = None
    name: str | None = None


class GradescopeSubmissionMetadata(Struct, frozen=True):
    """What is used of the file; everything else in it is left out."""

    id: int | str = ""
    created_at: str | None = None
    users: tuple[GradescopeStudent, ...] = ()

    @property
    def submission_name_from_id(self) -> str:
        """Return what the submission is called, in "Export submissions" too."""
        return f"submission_{self.id}" if self.id != "" else "submission"


def read_gradescope_metadata(path: Path) -> GradescopeSubmissionMetadata:
    """Read ``submission_metadata.json``.

    Raises:
        KitFault: the file is missing, or is not what the platform writes.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=GradescopeSubmissionMetadata)
    except OSError as error:
        raise make_file_fault(error, path, fault_class=KitFault) from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise KitFault(f"is not what Gradescope writes: {error}", where=str(path)) from error


def compute_submission_lateness_or_none(
    metadata: GradescopeSubmissionMetadata, deadline_rules: DeadlineAndAttemptRules
) -> Lateness | None:
    """Return how late the submission is; a group is as late as the member with the kindest deadline.

    Extensions go by the e-mail address, whatever its capitals, since students choose their names themselves.

    Raises:
        KitFault: there is a deadline, and the platform does not say when the submission was handed in.
    """
    if deadline_rules.deadline is None and not deadline_rules.extensions:
        return None
    try:
        handed_in = parse_time(metadata.created_at, deadline_rules.default_zone)
    except InvalidTime as error:
        raise KitFault(f"created_at {error}", where="submission_metadata.json") from error
    known = {student.casefold(): student for student, _ in deadline_rules.extensions}
    emails = [normalize_student_name_for_comparison(user.email or "").casefold() for user in metadata.users]
    students = [known.get(email, "") for email in emails] or [""]
    found = [one for student in students if (one := compute_lateness_or_none(deadline_rules, student, handed_in))]
    return min(found, key=lambda one: (one.percent_off, one.seconds_late), default=None)
