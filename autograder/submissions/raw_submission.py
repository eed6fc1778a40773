"""Collect the files at a path as plain data, before anything in them is interpreted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from autograder.submissions.submitted_files import (
    SOURCE_SUFFIXES,
    SubmittedFile,
    is_hidden_source_file,
    list_submitted_files,
    read_single_submitted_file,
)


@dataclass(frozen=True, slots=True)
class RawSubmission:
    """The files of one submission as they were handed in: plain data, to be read here or on another machine."""

    files: tuple[SubmittedFile, ...]
    name_stem: str
    """The name of the file or folder, without its suffix."""
    is_unopened_zip: bool = False
    """Whether the one file is a zip."""
    is_folder: bool = False


def read_raw_submission(path: Path, max_bytes: int, *, unwrap_single_zip: bool = True) -> RawSubmission:
    """Read the files at ``path`` without interpreting them.

    A folder with one zip and no program is treated as the zip, because platforms pack a student's zip like that.

    Args:
        path: a ``.py`` or ``.ipynb`` file, a folder, or a ``.zip``.
        max_bytes: bytes that all files may have together.
        unwrap_single_zip: whether to take such a folder for its zip; False within a zip, so that zips do not
            nest without end.

    Raises:
        UngradableSubmission: the files are too large or too many, or cannot be read.
    """
    if path.suffix.lower() == ".zip" and path.is_file():
        return RawSubmission((read_single_submitted_file(path, max_bytes),), path.stem, is_unopened_zip=True)
    files = list_submitted_files(path, max_bytes)
    zips = [file.name for file in files if file.suffix == ".zip"]
    if (
        unwrap_single_zip
        and len(zips) == 1
        and path.is_dir()
        and not any(file.suffix in SOURCE_SUFFIXES and not is_hidden_source_file(file.name) for file in files)
    ):
        return RawSubmission(
            (read_single_submitted_file(path / zips[0], max_bytes),), path.stem, is_unopened_zip=True
        )
    return RawSubmission(tuple(files), path.stem, is_folder=path.is_dir())
