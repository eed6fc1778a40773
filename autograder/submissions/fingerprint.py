"""Hash what was handed in, without reading it as a submission."""

from __future__ import annotations

from pathlib import Path

from autograder.submissions.files import digest, read_files
from autograder.submissions.model import Unreadable


def fingerprint(path: Path, limit: int) -> str:
    """Return a file's, zip's or folder's SHA-256, as ``read_submission`` gives it; empty if nothing can be read."""
    try:
        return digest(read_files(path, limit))
    except Unreadable as error:
        return error.sha256
