"""Hash what was handed in, without reading it as a submission."""

from __future__ import annotations

from pathlib import Path

from autograder.submissions.submission_model import UngradableSubmission
from autograder.submissions.submitted_files import hash_files, list_files_with_source_contents


def hash_submission_or_empty(path: Path, max_gradable_bytes: int) -> str:
    """Return a file's, zip's or folder's SHA-256, as ``read_submission`` gives it; empty if nothing can be read."""
    try:
        return hash_files(list_files_with_source_contents(path, max_gradable_bytes))
    except UngradableSubmission as error:
        return error.sha256
