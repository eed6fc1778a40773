"""Read submissions (files, notebooks, folders and zips) as text that is never run here."""

from autograder.former_names import make_former_name_lookup
from autograder.submissions.origin import Person, SubmissionOrigin
from autograder.submissions.submission_entries import (
    SubmissionEntry,
    SubmissionsFolderOrUnpackedZip,
    open_and_require_submission_entries,
    open_submissions_folder,
    require_submission_entries,
)
from autograder.submissions.submission_model import SourceUnit, Submission, UngradableSubmission
from autograder.submissions.submission_reading import read_submission

__all__ = [
    "Person",
    "SourceUnit",
    "Submission",
    "SubmissionEntry",
    "SubmissionOrigin",
    "SubmissionsFolderOrUnpackedZip",
    "UngradableSubmission",
    "open_and_require_submission_entries",
    "open_submissions_folder",
    "read_submission",
    "require_submission_entries",
]

__getattr__ = make_former_name_lookup(__name__, {"Origin": f"{__name__}.SubmissionOrigin"})
