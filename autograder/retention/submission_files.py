"""List the files of a submission that a batch graded, with names that a zip can hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from autograder.batch.submission_file_names import make_safe_file_name
from autograder.store.results.graded_class_table import StoredGradedClass

OpenSubmissionPaths = Callable[[StoredGradedClass], AbstractContextManager[Mapping[str, Path]]]
"""Yields the path of each submission of a class by its name, as far as they are still there."""


def iterate_files_with_archive_names(submission_name: str, path: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files of a submission, each with its path in a zip, which tells whose file it is.

    A file that is called as the submission, such as ``ada.py``, keeps its name. Any other one is put into a folder
    that is called as the submission: many platforms' files are all called ``value.py``.

    A zip holds no name that is not UTF-8, and some programs refuse special characters. Links are skipped, and a path
    that is gone yields nothing.
    """
    is_folder = not path.is_file()
    for file in sorted(path.rglob("*")) if is_folder else [path]:
        if file.is_file() and not file.is_symlink():
            inner_names = file.relative_to(path).parts if is_folder else (path.name,)
            folders = () if not is_folder and submission_name in (path.stem, path.name) else (submission_name,)
            yield "/".join(map(make_safe_file_name, (*folders, *inner_names))), file
