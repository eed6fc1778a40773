"""Read a submission from a path: find the file to grade, and read it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from autograder.course import Assignment
from autograder.english_wording import choose_by_count
from autograder.safe_text import escape_for_sentence
from autograder.submissions.graded_file_choice import choose_graded_file, defines_any, list_usual_names
from autograder.submissions.ipython_magics import convert_file_to_plain_python
from autograder.submissions.raw_submission import RawSubmission, read_raw_submission
from autograder.submissions.source_unit_reading import SourceFile, decode_python_file, read_source_file
from autograder.submissions.submission_model import Submission, UngradableSubmission
from autograder.submissions.submitted_files import (
    SOURCE_SUFFIXES,
    SubmittedFile,
    abbreviate_file_names,
    hash_files,
    is_hidden_source_file,
    is_ignored_file,
    split_source_name,
)
from autograder.submissions.untagged_definition_removal import remove_untagged_redefinitions
from autograder.submissions.zip_members import BadArchive
from autograder.submissions.zip_unpacking import unpack_zip
from autograder.temporary_folders import temporary_folder

SECOND_DOWNLOAD = re.compile(r"\(\d+\)$")


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
            zip_name = escape_for_sentence(archive.name, 80)
            kind = archive.foreign_kind if not archive.content.startswith(b"PK") else ""
            other = f"{zip_name} is {kind}, not a zip. Zip your own files, or hand in the program alone."
            message = other if kind else f"{zip_name}: {error}"
            raise UngradableSubmission("bad-zip", message, sha256=sha256, files=(archive.name,)) from error
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
    sources = [file for file in shown if file.source_suffix in SOURCE_SUFFIXES] or [
        file for file in shown if file.is_notebook or defines_any(file, assignment.defines)
    ]
    hidden_notes = _note_hidden_programs(hidden)
    if not sources:
        sentences = [_describe_other_files(shown), *hidden_notes, f"Hand in {list_usual_names(assignment)}."]
        raise UngradableSubmission("no-python-file", " ".join(sentences))
    chosen, notes = choose_graded_file(sources, assignment) if in_folder else (sources[0], ())
    limit = assignment.limits.source_kb * 1024
    companions = _select_companions(sources, chosen, limit)
    read = read_source_file(chosen, limit, assignment.defines)
    units, left_out = remove_untagged_redefinitions(read.units, assignment.defines)
    return Submission(
        id=name,
        sha256=sha256,
        files=tuple(file.name for file in sources),
        units=units,
        modules=read.modules | {_get_module_name(file): _read_companion(file) for file in companions},
        notes=(*notes, *hidden_notes, *_find_disguise(chosen), *left_out),
        unread_definitions=_list_unread_definitions(read, assignment, limit),
    )


def _describe_other_files(files: Sequence[SubmittedFile]) -> str:
    """Say what was handed in by someone without a program."""
    if len(files) == 1 and files[0].foreign_kind:
        name = escape_for_sentence(files[0].name, 80)
        return f"{name} is {files[0].foreign_kind}: there is no Python file or notebook here."
    names = abbreviate_file_names(files)
    return f"There is no Python file or notebook here{f', only {names}' if names else ''}."


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
    """Return a note on a file whose ending does not say what it holds."""
    ending = ".ipynb" if file.is_notebook else ".py"
    if file.suffix == ending:
        return ()
    held, kind = ("a notebook", "notebook") if file.is_notebook else ("Python text", "Python file")
    other = {".py": ", not Python text", ".ipynb": ", not a notebook"}.get(file.suffix, "")
    return (
        f"{escape_for_sentence(file.name, 80)} holds {held}{other}, and was graded as a {kind}. Next time hand in "
        f"the {kind} itself, with its name ending in {ending}.",
    )


def _list_unread_definitions(read: SourceFile, assignment: Assignment, max_bytes: int) -> tuple[str, ...]:
    """Return a sentence for each text cell that defines what no code cell does, or where the stub still stands."""
    if not read.text_cells:
        return ()
    given = _list_template_texts(assignment, max_bytes)
    cells = [cell for cell in read.text_cells if cell.source not in given]
    sentences = []
    for name in assignment.defines:
        definition = re.compile(rf"^(class|def) {re.escape(name)}\b", re.M)
        code = [unit.source for unit in read.units if definition.search(unit.source)]
        if all("NotImplementedError" in source for source in code):
            sentences += [
                f"Cell {cell.number} from the top is a text cell ({cell.kind.capitalize()}), and holds `{found[1]} "
                f"{name}`: text is not run. Turn it into code (in Jupyter: click beside it and press Y), run it, "
                "save the notebook, and hand it in again."
                for cell in cells
                if (found := definition.search(cell.source))
            ]
    return tuple(sentences)


def _list_template_texts(assignment: Assignment, max_bytes: int) -> frozenset[str]:
    """Return the text cells that students get."""
    path = assignment.template_folder / "value.ipynb"
    try:
        template = SubmittedFile(path.name, path.read_bytes()) if path.is_file() else None
        cells = read_source_file(template, max_bytes, assignment.defines).text_cells if template else ()
    except (OSError, UngradableSubmission):
        cells = ()
    return frozenset(cell.source for cell in cells)


def _get_module_name(file: SubmittedFile) -> str:
    """Return the name under which a file is imported: ``helpers`` for ``helpers (1).py``, too."""
    stem, _ = split_source_name(PurePosixPath(file.name).name)
    first_stem = SECOND_DOWNLOAD.sub("", stem)
    return stem if first_stem == stem else first_stem.rstrip(" _-")


def _read_companion(file: SubmittedFile) -> str:
    try:
        return convert_file_to_plain_python(decode_python_file(file))
    except UngradableSubmission:  # what imports it fails, and says so
        return file.content.decode("utf-8-sig", "replace").replace("\0", "\ufffd")


def _get_folder(file: SubmittedFile) -> PurePosixPath:
    return PurePosixPath(file.name).parent
