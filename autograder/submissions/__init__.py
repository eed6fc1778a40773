"""Read what students hand in: files, notebooks, folders and zips, as text that is never run here."""

from autograder.submissions.class_entries import (
    OpenedSubmissionsFolder,
    SubmissionEntry,
    list_required_entries,
    open_required_entries,
    open_submissions_folder,
)
from autograder.submissions.origin import Person, SubmissionOrigin
from autograder.submissions.read_submission import read_submission
from autograder.submissions.submission_model import SourceUnit, Submission, UngradableSubmission

__all__ = [
    "OpenedSubmissionsFolder",
    "Person",
    "SourceUnit",
    "Submission",
    "SubmissionEntry",
    "SubmissionOrigin",
    "UngradableSubmission",
    "list_required_entries",
    "open_required_entries",
    "open_submissions_folder",
    "read_submission",
]
