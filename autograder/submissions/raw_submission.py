"""Collect the files at a path as plain data, before anything in them is interpreted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from autograder.submissions.submitted_files import (
    PYTHON_LINE,
    SOURCE_SUFFIXES,
    SubmittedFile,
    is_hidden_source_file,
    list_submitted_files,
    read_single_submitted_file,
)

ZIP_STARTS = (b"PK\3\4", b"PK\5\6")
OFFICE_MARKS = (b"[Content_Types].xml", b"mimetypeapplication/")


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
    files = list_submitted_files(path, max_bytes)
    if not path.is_dir():
        return RawSubmission(tuple(files), path.stem, is_unopened_zip=_is_zip(files[0]))
    zips = [file.name for file in files if file.source_suffix == ".zip"]
    if (
        unwrap_single_zip
        and len(zips) == 1
        and not any(file.source_suffix in SOURCE_SUFFIXES and not is_hidden_source_file(file.name) for file in files)
    ):
        return RawSubmission(
            (read_single_submitted_file(path / zips[0], max_bytes),), path.stem, is_unopened_zip=True
        )
    return RawSubmission(tuple(files), path.stem, is_folder=True)


def _is_zip(file: SubmittedFile) -> bool:
    """Return whether a file is a zip, whatever its name; office documents are not, though they are packed as zips."""
    if file.content.startswith(ZIP_STARTS):
        return not any(mark in file.content[:4096] for mark in OFFICE_MARKS)
    is_text = file.is_notebook or (b"\0" not in file.content and PYTHON_LINE.search(file.content))
    return file.source_suffix == ".zip" and not is_text
