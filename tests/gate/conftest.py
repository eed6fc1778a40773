"""A whole small assignment, to be changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.course import Assignment, load_course
from autograder.starter import write_and_load_starter_assignment
from tests.toy import write_toy


@pytest.fixture(autouse=True)
def one_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the few programs of a test in one worker: to start another takes as long as all of them."""
    monkeypatch.setattr("autograder.author_checks.catalogue.count_available_processors", lambda: 1)


@pytest.fixture
def vectors(tmp_path: Path) -> Assignment:
    """A whole assignment in a course of its own, with another beside it."""
    return write_and_load_starter_assignment(load_course(write_toy(tmp_path)), "vectors")
