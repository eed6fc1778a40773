"""Check an upload before it is saved: its name, its size, and whether it can be read as a submission.

It is read in a process of its own; see ``reading_processes``.
"""

from __future__ import annotations

import re
from pathlib import Path

from werkzeug.datastructures import FileStorage

from autograder.course import Assignment
from autograder.safe_text import escape_for_sentence
from autograder.submissions import UngradableSubmission
from autograder.submissions.submission_reading import read_submission
from autograder.submissions.submitted_files import split_source_name
from autograder.temporary_folders import temporary_folder
from autograder.web.reading_processes import ReadingStopped, read_apart

SUFFIXES = (".py", ".ipynb", ".zip")
SPECIAL = re.compile(r"[^\w .+()-]", re.ASCII)
MOST_CHARACTERS = 80


class RefusedUpload(Exception):
    """An upload that is not kept; the message is a sentence for the student."""


def read_and_check_upload(
    chosen_file: FileStorage | None, pasted_code: str, assignment: Assignment
) -> tuple[str, bytes]:
    """Return the chosen file or the pasted code, whichever there is, under a safe name.

    Raises:
        RefusedUpload: it is not what can be handed in, or both came.
    """
    if chosen_file is not None and chosen_file.filename:
        if pasted_code.strip():
            raise RefusedUpload(
                "You chose a file and pasted code: hand in one of the two. The form still has your code; to hand in "
                "the file, delete the code and choose the file again."
            )
        file_name, content = _clean_file_name(chosen_file.filename), chosen_file.read()
    elif pasted_code.strip():
        file_name, content = "value.py", pasted_code.replace("\r\n", "\n").encode("utf-8", "replace")
    else:
        raise RefusedUpload("There is nothing to hand in: choose a file, or paste your code.")
    _judge(file_name, content, assignment)
    return file_name, content


def _clean_file_name(file_name: str) -> str:
    """Return the last part of a path, made safe; refuse it if its suffix is not accepted."""
    last = re.split(r"[/\\]", file_name)[-1]
    stem, suffix = split_source_name(last)  # a browser may have added another
    if not suffix:
        raise RefusedUpload(
            f"{escape_for_sentence(last, MOST_CHARACTERS)} cannot be handed in: hand in .py, .ipynb or .zip."
        )
    return make_safe_upload_name(f"{stem}{suffix}")


def make_safe_upload_name(file_name: str) -> str:
    r"""Return a file's name without characters that are special in a path or a terminal.

    >>> make_safe_upload_name("../my\x1b work.PY")
    '_my_ work.py'
    """
    suffix = Path(file_name).suffix.lower()
    stem = SPECIAL.sub("_", file_name[: len(file_name) - len(suffix)]).strip(" .")[:MOST_CHARACTERS]
    return f"{stem or 'submission'}{suffix}"


def _judge(file_name: str, content: bytes, assignment: Assignment) -> None:
    """Check that the upload can be read as the grader reads it; nothing in it is run.

    Raises:
        RefusedUpload: it cannot be read. Work that can be read and is wrong is kept.
    """
    if not content.strip():
        raise RefusedUpload(f"{file_name} is empty.")
    if file_name.endswith(".py") and b"\0" in content:
        raise RefusedUpload(f"{file_name} is not text: hand in your program itself.")
    with temporary_folder("upload") as folder:
        path = folder / file_name  # which messages name
        path.write_bytes(content)
        try:
            read_apart(_require_readable, path, assignment)
        except UngradableSubmission as error:
            raise RefusedUpload(error.message) from error
        except ReadingStopped as error:
            raise RefusedUpload(
                f"{file_name} takes too long to be read. Hand in your own code alone, without data and "
                "outputs; if it is nothing else, show it to the staff."
            ) from error


def _require_readable(path: Path, assignment: Assignment) -> None:
    read_submission(path, assignment)
