"""Read code as one text, to be compared; nothing in it is run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from autograder.course import Assignment
from autograder.submissions import UngradableSubmission, read_submission


def try_read_submission_code(submission_path: Path, assignment: Assignment) -> str | None:
    """Return the code of a submission as one text; None if it cannot be read."""
    try:
        submission = read_submission(submission_path, assignment)
    except UngradableSubmission:
        return None
    return "\n\n".join([*(unit.source for unit in submission.units), *submission.modules.values()])


def iterate_given_sources(assignment: Assignment, other_given_paths: Iterable[Path] = ()) -> Iterator[str]:
    """Yield the source that students were given: the template, the public tests, and other given files."""
    folders = [assignment.template_folder, assignment.folder / "public", *other_given_paths]
    for path in folders:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.suffix.lower() in (".py", ".ipynb") and file.is_file():
                source = try_read_submission_code(file, assignment)
                if source:
                    yield source
