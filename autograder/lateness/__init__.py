"""Handle lateness: submission times, penalties, and which attempt counts.

The functions are pure and use exact arithmetic. Lateness is applied whenever a result is shown.
"""

from autograder.lateness.counted_submissions import (
    AttemptAllowance,
    CountingReason,
    compute_attempt_allowance,
    explain_counting_submissions,
    select_counting_submissions,
)
from autograder.lateness.late_penalty import (
    Lateness,
    StudentNames,
    apply_lateness,
    compute_lateness_or_none,
    list_students_of_origin,
)
from autograder.lateness.submission_times import (
    ReopenedAttempt,
    SubmissionTime,
    SubmissionTimes,
    read_students_and_times,
)

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
