"""The fingerprint, by which a batch knows what it has graded already, is the hash of the submission."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from autograder.course import Assignment
from autograder.submissions import UngradableSubmission, read_submission
from tests.submission_hashes import hash_submission
from tests.submissions.handed_in import MB, SOLVED, Put, Read, notebook


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("value.py", SOLVED),
        ("value.ipynb", notebook(SOLVED)),
        ("value.py", ""),
        ("value.py", "\0"),
        ("value.ipynb", "{}"),
        ("value.txt", "hi"),
        ("value.zip", "no zip"),
    ],
)
def test_the_fingerprint_is_the_hash_of_the_submission_read_or_refused(
    put: Put, engine: Assignment, name: str, content: str
) -> None:
    path = put(name, content)
    try:
        known = read_submission(path, engine).sha256
    except UngradableSubmission as error:
        known = error.sha256
    assert (
        hash_submission(path, engine.limits.submission_mb * MB)
        == known
        == hashlib.sha256(content.encode()).hexdigest()
    )


def test_the_fingerprint_of_a_folder_is_the_hash_of_the_submission(
    put: Put, folder: Path, read: Read, engine: Assignment
) -> None:
    put("value.py")
    put("more/helpers.py")
    assert hash_submission(folder, engine.limits.submission_mb * MB) == read(folder).sha256


def test_the_fingerprint_of_what_cannot_be_read_is_empty(tmp_path: Path) -> None:
    assert hash_submission(tmp_path / "nothing.py", MB) == ""
