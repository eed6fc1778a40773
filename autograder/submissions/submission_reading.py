"""Read a submission from a path: find the file to grade, and read it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from autograder.course import Assignment
from autograder.english_wording import choose_by_count
from autograder.faults import make_file_fault
from autograder.safe_text import escape_for_display
from autograder.submissions.source_unit_reading import read_source_units, read_texts_with_magics
from autograder.submissions.submission_model import Submission, UngradableSubmission
from autograder.submissions.submitted_files import (
    SOURCE_SUFFIXES,
    SubmittedFile,
    hash_files,
    is_hidden_program,
    is_junk_or_test_file,
    list_submitted_files,
    read_single_submitted_file,
)
from autograder.submissions.untagged_definition_removal import remove_untagged_redefinitions
from autograder.submissions.zip_members import BadArchive
from autograder.submissions.zip_unpacking import unpack_zip

MAGIC_SIGNS = ("%", "!")


@dataclass(frozen=True, slots=True)
class RawSubmission:
    """The files of one submission as they were handed in: plain data, to be read here or on another machine."""

    files: tuple[SubmittedFile, ...]
    name_stem: str
    """The name of the file or folder, without its suffix."""
    is_unopened_zip: bool = False
    """Whether the one file is a zip."""
    is_folder: bool = False


def read_raw_submission(path: Path, max_bytes: int, unwrap_single_zip: bool = True) -> RawSubmission:
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
        and not any(file.suffix in SOURCE_SUFFIXES and not is_hidden_program(file.name) for file in files)
    ):
        return RawSubmission(
            (read_single_submitted_file(path / zips[0], max_bytes),), path.stem, is_unopened_zip=True
        )
    return RawSubmission(tuple(files), path.stem, is_folder=path.is_dir())


def read_submission(path: Path, assignment: Assignment, submission_id: str = "") -> Submission:
    """Read what one student handed in; nothing in it is executed.

    Args:
        path: a ``.py`` or ``.ipynb`` file, a folder, or a ``.zip``; nothing in it says whose it is.
        assignment: gives the names that a submission must define, and the size limits.
        submission_id: the submission's id; the file's name without its ending when empty.

    Raises:
        UngradableSubmission: the submission cannot be graded as it is; the message says why and what to do.
    """
    return make_submission_from_raw(
        read_raw_submission(path, assignment.limits.submission_mb * 2**20), assignment, submission_id
    )


def make_submission_from_raw(
    raw_submission: RawSubmission, assignment: Assignment, submission_id: str = ""
) -> Submission:
    """Read collected files as a submission. See ``read_submission``."""
    if raw_submission.is_unopened_zip:
        return _read_zip(raw_submission, assignment, submission_id or raw_submission.name_stem)
    files = list(raw_submission.files)
    sha256, names = hash_files(files), tuple(file.name for file in files)
    try:
        return _choose_and_read(
            files, assignment, submission_id or raw_submission.name_stem, sha256, raw_submission.is_folder
        )
    except UngradableSubmission as error:
        error.sha256, error.files = sha256, names
        raise


def _read_zip(collected: RawSubmission, assignment: Assignment, name: str) -> Submission:
    (archive,) = collected.files
    sha256, limit = hash_files([archive]), assignment.limits.submission_mb * 2**20
    with TemporaryDirectory(prefix="submission-") as folder:
        try:
            unpack_zip(archive.content, Path(folder), limit, _is_listed)
        except BadArchive as error:
            raise UngradableSubmission("bad-zip", str(error), sha256=sha256, files=(archive.name,)) from error
        try:
            inside = make_submission_from_raw(
                read_raw_submission(Path(folder), limit, unwrap_single_zip=False), assignment, name
            )
        except UngradableSubmission as error:
            error.sha256 = sha256
            raise
        return replace(inside, sha256=sha256)


def _choose_and_read(
    files: Sequence[SubmittedFile], assignment: Assignment, name: str, sha256: str, in_folder: bool
) -> Submission:
    hidden = [file for file in files if in_folder and is_hidden_program(file.name)]
    shown = [file for file in files if file not in hidden]
    sources = [file for file in shown if file.suffix in SOURCE_SUFFIXES]
    hidden_notes = _note_hidden_programs(hidden)
    if not sources:
        names = _format_names(shown)
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
    chosen, notes = _choose_candidate(sources, assignment) if in_folder else (sources[0], ())
    companions = [
        file
        for file in sources
        if file is not chosen
        and not file.is_notebook
        and _get_folder(file) == _get_folder(chosen)
        and not is_junk_or_test_file(file.name)
    ]
    limit = assignment.limits.source_kb * 1024
    if sum(len(file.content) for file in companions) > limit:
        raise UngradableSubmission(
            "too-large",
            f"The Python files beside {escape_for_display(chosen.name, 80)} have more than {limit // 1024} kB. Hand "
            "in your own code alone.",
        )
    units, left_out = remove_untagged_redefinitions(read_source_units(chosen, limit), assignment.defines)
    return Submission(
        id=name,
        sha256=sha256,
        files=tuple(file.name for file in sources),
        units=units,
        modules={PurePosixPath(file.name).stem: file.content.decode("utf-8-sig", "replace") for file in companions},
        notes=(*notes, *hidden_notes, *_find_disguise(chosen), *left_out),
    )


def _is_listed(name: str) -> bool:
    return not is_junk_or_test_file(name) or is_hidden_program(name)


def _note_hidden_programs(hidden: Sequence[SubmittedFile]) -> tuple[str, ...]:
    if not hidden:
        return ()
    return (
        f"{_format_names(hidden)} {choose_by_count(len(hidden), 'is', 'are')} not read: the name begins with a dot.",
    )


def _choose_candidate(
    sources: Sequence[SubmittedFile], assignment: Assignment
) -> tuple[SubmittedFile, tuple[str, ...]]:
    """Choose the file to grade among several, with notes on the files that are not graded."""
    if len(sources) == 1:
        return sources[0], ()
    definers = [file for file in sources if _defines(file, assignment.defines)]
    required = " and ".join(assignment.defines)
    if not definers:
        raise UngradableSubmission(
            "nothing-defined",
            f"None of the files defines {required}: {_format_names(sources)}. Hand in the file with your own work.",
        )
    edited = [file for file in definers if not _is_untouched_template(file, assignment)]
    chosen_from = edited or definers[:1]
    candidates = [file for file in chosen_from if PurePosixPath(file.name).stem == "value"] or chosen_from
    if len(candidates) == 1:
        ungraded = [file for file in edited if file is not candidates[0]]
        graded_name = escape_for_display(candidates[0].name, 80)
        note = f"Graded {graded_name}; {_format_names(ungraded)} also defines {required} and was not graded."
        return candidates[0], (note,) if ungraded else ()
    raise UngradableSubmission(
        "several-candidates",
        f"{len(candidates)} files define {required}: {_format_names(candidates)}. "
        "Hand in one of them, named value.py or value.ipynb.",
    )


def _find_disguise(file: SubmittedFile) -> tuple[str, ...]:
    if not file.is_notebook_named_py:
        return ()
    name = escape_for_display(file.name, 80)
    return (
        f"{name} holds a notebook, not Python text, and was graded as a notebook. Next time hand in the notebook "
        "itself, with its name ending in .ipynb.",
    )


def _defines(file: SubmittedFile, names: Sequence[str]) -> bool:
    text = file.content.decode("utf-8", "replace")
    line_start = r'(?:^|\\n|")[ \t]*' if file.is_notebook else r"^[ \t]*"
    # bounded: a file of nothing but names is not to be read to its end for each
    assignment = r"\s*(?::[^=\n]{0,200})?=[^=]"
    return all(
        re.search(rf"{line_start}(?:(?:class|def)\s+{re.escape(name)}\b|{re.escape(name)}{assignment})", text, re.M)
        for name in names
    )


def _is_untouched_template(file: SubmittedFile, assignment: Assignment) -> bool:
    """Return whether a file is the template's, as students got it (a notebook may have been run and saved)."""
    original = assignment.template_folder / ("value.ipynb" if file.is_notebook else "value.py")
    if not original.is_file():
        return False
    try:
        limit = assignment.limits.source_kb * 1024
        return _normalize_texts(read_texts_with_magics(file, limit)) == _normalize_texts(
            read_texts_with_magics(SubmittedFile(original.name, original.read_bytes()), limit)
        )
    except UngradableSubmission:
        return False
    except OSError as error:
        raise make_file_fault(error, original) from error


def _normalize_texts(texts: Sequence[str]) -> list[str]:
    """Return texts without lines that begin with a magic, in one style of line ends, and without empty ones."""
    normalized = (
        "\n".join(line for line in text.splitlines() if not line.startswith(MAGIC_SIGNS)).strip() for text in texts
    )
    return [text for text in normalized if text]


def _get_folder(file: SubmittedFile) -> PurePosixPath:
    return PurePosixPath(file.name).parent


def _format_names(files: Sequence[SubmittedFile]) -> str:
    return ", ".join(escape_for_display(name, 80) for name in sorted(file.name for file in files)[:5])
