"""Handle lateness: who handed in what when, what it costs, which attempt counts. Pure, exact, applied to views."""

from autograder.lateness.attempt_limit import AttemptAllowance, compute_attempt_allowance
from autograder.lateness.group_members_and_extensions import StudentNames, list_students_of_origin
from autograder.lateness.late_penalty import Lateness, compute_lateness_or_none
from autograder.lateness.reopened_attempts import ReopenedAttempt
from autograder.lateness.report_lateness import make_report_with_lateness_applied
from autograder.lateness.submissions_that_count import select_ids_of_submissions_that_count
from autograder.lateness.timed_submissions import TimedSubmission, TimedSubmissions, read_timed_submissions

__all__ = [
    "AttemptAllowance",
    "Lateness",
    "ReopenedAttempt",
    "StudentNames",
    "TimedSubmission",
    "TimedSubmissions",
    "compute_attempt_allowance",
    "compute_lateness_or_none",
    "list_students_of_origin",
    "make_report_with_lateness_applied",
    "read_timed_submissions",
    "select_ids_of_submissions_that_count",
]
