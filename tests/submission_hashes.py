"""The hash that a submission has before it is read: what the store looks results up by."""

from __future__ import annotations

from pathlib import Path

from autograder.store.results.result_model import compute_submission_digests


def hash_submission(path: Path, max_gradable_bytes: int) -> str:
    """Return a file's, zip's or folder's SHA-256, as ``read_submission`` gives it.

    A file that is too large to be graded is hashed all the same, up to ``MAX_HASHED_BYTES``. The hash is empty for a
    link, for too many files, and for what cannot be read.
    """
    return compute_submission_digests(path, "", max_gradable_bytes).sha256
