"""A student's folder, and what is made of what lies in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.course import Assignment
from autograder.submissions import Submission, UngradableSubmission, read_submission
from tests.submissions.handed_in import SOLVED, Put, Read, Refusal


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Write a file of the submission; the last part is its content, text or bytes."""

    def written(name: str, content: str | bytes = SOLVED) -> Path:
        path = tmp_path / "handed_in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return written


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where ``put`` writes."""
    made = tmp_path / "handed_in"
    made.mkdir()
    return made


@pytest.fixture
def read(engine: Assignment) -> Read:
    """Read it, under its own name or another."""

    def result(path: Path, name: str = "") -> Submission:
        return read_submission(path, engine, name)

    return result


@pytest.fixture
def refusal(engine: Assignment) -> Refusal:
    """Why it is refused."""

    def result(path: Path) -> UngradableSubmission:
        with pytest.raises(UngradableSubmission) as caught:
            read_submission(path, engine)
        return caught.value

    return result
