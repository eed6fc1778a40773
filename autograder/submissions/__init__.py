"""Read submissions (files, notebooks, folders and zips) as text that is never run here."""

from autograder.submissions.origin import Person, SubmissionOrigin
from autograder.submissions.submission_entries import (
    OpenedSubmissionsFolder,
    SubmissionEntry,
    list_submission_entries,
    open_submission_entries,
    open_submissions_folder,
)
from autograder.submissions.submission_model import SourceUnit, Submission, UngradableSubmission
from autograder.submissions.submission_reading import read_submission

__all__ = [
    "OpenedSubmissionsFolder",
    "Person",
    "SourceUnit",
    "Submission",
    "SubmissionEntry",
    "SubmissionOrigin",
    "UngradableSubmission",
    "list_submission_entries",
    "open_submission_entries",
    "open_submissions_folder",
    "read_submission",
]
