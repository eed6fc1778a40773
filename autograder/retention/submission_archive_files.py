"""Read the files of a submission that a batch graded, with names that a zip can hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from autograder.batch.submission_file_names import make_safe_file_name
from autograder.faults import make_file_fault
from autograder.store.results.graded_class_table import StoredGradedClass

OpenSubmissionPaths = Callable[[StoredGradedClass], AbstractContextManager[Mapping[str, Path]]]
"""Yields the path of each submission of a class by its name, as far as they are still there."""


def read_archive_entries_or_none(submission_name: str, path: Path) -> list[tuple[str, bytes]] | None:
    """Return the files of a submission, each with its path in a zip, which tells whose it is; None if all are gone.

    A file that is called as the submission, such as ``ada.py``, keeps its name. Any other one is put into a folder
    that is called as the submission: many platforms' files are all called ``value.py``. Links are skipped.

    Raises:
        CallerFault: a file cannot be read.
    """
    try:
        if not path.exists():
            return None
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        return [
            (_make_archive_name(submission_name, path, file), file.read_bytes())
            for file in files
            if file.is_file() and not file.is_symlink()
        ]
    except OSError as error:
        raise make_file_fault(error, error.filename or path) from error


def _make_archive_name(submission_name: str, path: Path, file: Path) -> str:
    """Return a name that a zip can hold: UTF-8, without characters that some programs refuse."""
    is_single = file == path
    folders = () if is_single and submission_name in (path.stem, path.name) else (submission_name,)
    inner_names = (path.name,) if is_single else file.relative_to(path).parts
    return "/".join(map(make_safe_file_name, (*folders, *inner_names)))
