"""A course of nbgrader's as it lies on the disk, and what is read of its submissions."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from autograder.platforms.nbgrader.reader import NAME, NbgraderDownloadReader
from autograder.submissions import Person, SubmissionOrigin

GOLDEN = Path(__file__).parents[1] / "data" / "platforms" / "nbgrader" / "grades.csv"
READER = NbgraderDownloadReader()
STAMP = "2026-11-20 22:58:23.948203 UTC\n"
WHEN = datetime(2026, 11, 20, 22, 58, 23, 948203, tzinfo=UTC)
COURSE = {
    "gradebook.db": "",
    "source/ps1/value.ipynb": "",
    "release/ps1/value.ipynb": "",
    "submitted/bitdiddle/ps1/value.ipynb": "{}",
    "submitted/bitdiddle/ps1/timestamp.txt": STAMP,
    "submitted/bitdiddle/ps1/submission_secret.txt": "8a1f",
    "submitted/hacker/ps1/value.py": "x = 1",
    "submitted/hacker/ps1/lib/more.py": "y = 2",
}


def handed_in(student: str, when: datetime | None = WHEN, assignment: str = "ps1") -> SubmissionOrigin:
    return SubmissionOrigin(
        NAME, (Person(student, login=student),), handed_in=when, names=(f"{student}/{assignment}",)
    )
