"""Handle lateness: submission times, penalties, and which attempt counts.

The functions are pure and use exact arithmetic. Lateness is applied whenever a result is shown.
"""

from autograder.lateness.attempt_allowance import AttemptAllowance, compute_attempt_allowance
from autograder.lateness.counted_submissions import (
    CountingReason,
    explain_counting_submissions,
    select_counting_submissions,
)
from autograder.lateness.extension_selection import StudentNames, list_students_of_origin
from autograder.lateness.late_penalty import Lateness, compute_lateness_or_none
from autograder.lateness.reopened_attempts import ReopenedAttempt
from autograder.lateness.report_lateness import apply_lateness
from autograder.lateness.submission_times import SubmissionTime, SubmissionTimes
from autograder.lateness.submission_times_table import read_students_and_times

__all__ = [
    "AttemptAllowance",
    "CountingReason",
    "Lateness",
    "ReopenedAttempt",
    "StudentNames",
    "SubmissionTime",
    "SubmissionTimes",
    "apply_lateness",
    "compute_attempt_allowance",
    "compute_lateness_or_none",
    "explain_counting_submissions",
    "list_students_of_origin",
    "read_students_and_times",
    "select_counting_submissions",
]
