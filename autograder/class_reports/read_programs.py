"""Read code as one text, to be compared; nothing in it is run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from autograder.course import Assignment
from autograder.submissions import UnreadableSubmission, read_submission


def read_source(path: Path, assignment: Assignment) -> str | None:
    """Return the code of a submission as one text; None if it cannot be read."""
    try:
        submission = read_submission(path, assignment)
    except UnreadableSubmission:
        return None
    return "\n\n".join([*(unit.source for unit in submission.units), *submission.modules.values()])


def read_given(assignment: Assignment, paths: Iterable[Path] = ()) -> Iterator[str]:
    """Yield the source that students had: the template's, the public tests', and what the caller names."""
    folders = [assignment.template_folder, assignment.folder / "public", *paths]
    for path in folders:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.suffix.lower() in (".py", ".ipynb") and file.is_file():
                source = read_source(file, assignment)
                if source:
                    yield source
