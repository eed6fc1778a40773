"""Handle lateness: submission times, penalties, and which attempt counts.

The functions are pure and use exact arithmetic. Lateness is applied whenever a result is shown.
"""

from autograder.lateness.apply_lateness_to_report import make_report_with_lateness_applied
from autograder.lateness.attempt_limit_and_waiting_time import AttemptAllowance, compute_attempt_allowance
from autograder.lateness.attempts_reopened_by_staff import ReopenedAttempt
from autograder.lateness.late_penalty import Lateness, compute_lateness_or_none
from autograder.lateness.students_and_counting_extension import StudentNames, list_names_of_each_student_of_origin
from autograder.lateness.submission_times import SubmissionTimeAndStudents, SubmissionTimes, read_submission_times
from autograder.lateness.submissions_that_count import select_ids_of_submissions_that_count

__all__ = [
    "AttemptAllowance",
    "Lateness",
    "ReopenedAttempt",
    "StudentNames",
    "SubmissionTimeAndStudents",
    "SubmissionTimes",
    "compute_attempt_allowance",
    "compute_lateness_or_none",
    "list_names_of_each_student_of_origin",
    "make_report_with_lateness_applied",
    "read_submission_times",
    "select_ids_of_submissions_that_count",
]
