"""Read a submission from a path: find the file to grade, and read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from autograder.course import Assignment
from autograder.english_wording import choose_by_count
from autograder.safe_text import escape_for_sentence
from autograder.submissions.graded_file_choice import choose_graded_file
from autograder.submissions.raw_submission import RawSubmission, read_raw_submission
from autograder.submissions.source_unit_reading import read_source_units
from autograder.submissions.submission_model import Submission, UngradableSubmission
from autograder.submissions.submitted_files import (
    SOURCE_SUFFIXES,
    SubmittedFile,
    abbreviate_file_names,
    hash_files,
    is_hidden_source_file,
    is_ignored_file,
)
from autograder.submissions.untagged_definition_removal import remove_untagged_redefinitions
from autograder.submissions.zip_members import BadArchive
from autograder.submissions.zip_unpacking import unpack_zip
from autograder.temporary_folders import temporary_folder


def read_submission(path: Path, assignment: Assignment, submission_id: str = "") -> Submission:
    """Read what one student handed in; nothing in it is executed.

    Args:
        path: a ``.py`` or ``.ipynb`` file, a folder, or a ``.zip``; nothing in it says whose it is.
        assignment: gives the names that a submission must define, and the size limits.
        submission_id: the submission's id; the file's name without its ending when empty.

    Raises:
        UngradableSubmission: the submission cannot be graded as it is; the message says why and what to do.
    """
    return read_gradable_submission(
        read_raw_submission(path, assignment.limits.submission_mb * 2**20), assignment, submission_id
    )


def read_gradable_submission(
    raw_submission: RawSubmission, assignment: Assignment, submission_id: str = ""
) -> Submission:
    """Read collected files as a submission. See ``read_submission``."""
    if raw_submission.is_unopened_zip:
        return _read_zip(raw_submission, assignment, submission_id or raw_submission.name_stem)
    files = list(raw_submission.files)
    sha256, names = hash_files(files), tuple(file.name for file in files)
    try:
        return _choose_and_read(
            files, assignment, submission_id or raw_submission.name_stem, sha256, in_folder=raw_submission.is_folder
        )
    except UngradableSubmission as error:
        error.sha256, error.files = sha256, names
        raise


def _read_zip(collected: RawSubmission, assignment: Assignment, name: str) -> Submission:
    (archive,) = collected.files
    sha256, limit = hash_files([archive]), assignment.limits.submission_mb * 2**20
    with temporary_folder("submission") as folder:
        try:
            unpack_zip(archive.content, folder, limit, _is_listed)
        except BadArchive as error:
            raise UngradableSubmission("bad-zip", str(error), sha256=sha256, files=(archive.name,)) from error
        try:
            inside = read_gradable_submission(
                read_raw_submission(folder, limit, unwrap_single_zip=False), assignment, name
            )
        except UngradableSubmission as error:
            error.sha256 = sha256
            raise
        return replace(inside, sha256=sha256)


def _choose_and_read(
    files: Sequence[SubmittedFile], assignment: Assignment, name: str, sha256: str, *, in_folder: bool
) -> Submission:
    hidden = [file for file in files if in_folder and is_hidden_source_file(file.name)]
    shown = [file for file in files if file not in hidden]
    sources = [file for file in shown if file.suffix in SOURCE_SUFFIXES]
    hidden_notes = _note_hidden_programs(hidden)
    if not sources:
        names = abbreviate_file_names(shown)
        suffix = f", only {names}" if names else ""
        raise UngradableSubmission(
            "no-python-file",
            " ".join(
                [
                    f"There is no Python file or notebook here{suffix}.",
                    *hidden_notes,
                    "Hand in value.py or value.ipynb.",
                ]
            ),
        )
    chosen, notes = choose_graded_file(sources, assignment) if in_folder else (sources[0], ())
    limit = assignment.limits.source_kb * 1024
    companions = _select_companions(sources, chosen, limit)
    units, left_out = remove_untagged_redefinitions(read_source_units(chosen, limit), assignment.defines)
    return Submission(
        id=name,
        sha256=sha256,
        files=tuple(file.name for file in sources),
        units=units,
        modules={PurePosixPath(file.name).stem: file.content.decode("utf-8-sig", "replace") for file in companions},
        notes=(*notes, *hidden_notes, *_find_disguise(chosen), *left_out),
    )


def _select_companions(
    sources: Sequence[SubmittedFile], chosen: SubmittedFile, max_bytes: int
) -> list[SubmittedFile]:
    """Return the Python files beside the graded one, which it may import."""
    companions = [
        file
        for file in sources
        if file is not chosen
        and not file.is_notebook
        and _get_folder(file) == _get_folder(chosen)
        and not is_ignored_file(file.name)
    ]
    if sum(len(file.content) for file in companions) > max_bytes:
        raise UngradableSubmission(
            "too-large",
            f"The Python files beside {escape_for_sentence(chosen.name, 80)} have more than {max_bytes // 1024} kB. "
            "Hand in your own code alone.",
        )
    return companions


def _is_listed(name: str) -> bool:
    return not is_ignored_file(name) or is_hidden_source_file(name)


def _note_hidden_programs(hidden: Sequence[SubmittedFile]) -> tuple[str, ...]:
    if not hidden:
        return ()
    verb = choose_by_count(len(hidden), "is", "are")
    return (f"{abbreviate_file_names(hidden)} {verb} not read: the name begins with a dot.",)


def _find_disguise(file: SubmittedFile) -> tuple[str, ...]:
    if not file.is_notebook_named_py:
        return ()
    name = escape_for_sentence(file.name, 80)
    return (
        f"{name} holds a notebook, not Python text, and was graded as a notebook. Next time hand in the notebook "
        "itself, with its name ending in .ipynb.",
    )


def _get_folder(file: SubmittedFile) -> PurePosixPath:
    return PurePosixPath(file.name).parent
