"""Handle lateness: who handed in what when, what it costs, which attempt counts. Pure, exact, applied to views."""

from autograder.lateness.attempt_limit import AttemptAllowance, compute_allowance
from autograder.lateness.counting_attempts import select_counting_submissions
from autograder.lateness.extensions import Names, list_members_of_origin
from autograder.lateness.late_penalty import Lateness, compute_lateness
from autograder.lateness.reopened_attempts import Reopening
from autograder.lateness.report_lateness import with_lateness
from autograder.lateness.submission_times import SubmissionTime, SubmissionTimes, read_submission_times

__all__ = [
    "AttemptAllowance",
    "Lateness",
    "Names",
    "Reopening",
    "SubmissionTime",
    "SubmissionTimes",
    "compute_allowance",
    "compute_lateness",
    "list_members_of_origin",
    "read_submission_times",
    "select_counting_submissions",
    "with_lateness",
]
