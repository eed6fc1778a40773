"""List the files of a submission that a batch graded, with names that a zip can hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from autograder.batch.submission_file_names import make_safe_file_name
from autograder.store.results.graded_class_table import StoredGradedClass

OpenSubmissionPaths = Callable[[StoredGradedClass], AbstractContextManager[Mapping[str, Path]]]
"""Yields the path of each submission of a class by its name, as far as they are still there."""


def iterate_files_with_archive_names(path: Path) -> Iterator[tuple[str, Path]]:
    """Yield a file, or all files below a folder, each with the path of it that a zip can hold.

    A zip holds no name that is not UTF-8, and some programs refuse special characters. Links are skipped, and a path
    that is gone yields nothing.
    """
    files = [path] if path.is_file() else sorted(path.rglob("*"))
    for file in files:
        if file.is_file() and not file.is_symlink():
            yield "/".join(map(make_safe_file_name, file.relative_to(path.parent).parts)), file
