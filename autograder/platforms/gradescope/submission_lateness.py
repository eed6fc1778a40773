"""Compute how late a Gradescope submission is, from its metadata and the course's rules."""

from __future__ import annotations

from autograder.course.deadline_rules import DeadlineRules
from autograder.course.time_format import InvalidTime, parse_time
from autograder.faults import KitFault
from autograder.lateness import Lateness, compute_lateness_or_none
from autograder.platforms.gradescope.submission_metadata import GradescopeSubmissionMetadata
from autograder.student_name_comparison import normalize_student_name_keeping_case


def compute_submission_lateness_or_none(
    metadata: GradescopeSubmissionMetadata, deadline_rules: DeadlineRules
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
        raise KitFault(f"cannot read created_at: {error}", where="submission_metadata.json") from error
    student_by_email = {student.casefold(): student for student, _ in deadline_rules.extensions}
    emails = [normalize_student_name_keeping_case(user.email or "").casefold() for user in metadata.users]
    students = [student_by_email.get(email, "") for email in emails] or [""]
    latenesses = [
        lateness for student in students if (lateness := compute_lateness_or_none(deadline_rules, student, handed_in))
    ]
    return min(latenesses, key=lambda lateness: (lateness.percent_off, lateness.seconds_late), default=None)
