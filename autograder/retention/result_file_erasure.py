"""Find and remove the files of a results folder that hold data of one student."""

from __future__ import annotations

import csv
import hashlib
import html
import io
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.atomic_file_writing import write_file_atomically
from autograder.batch.output_layout import GRADEBOOK, HANDED_IN, OVERVIEW, PAGES_FOLDER, SIMILAR, VERSIONS
from autograder.batch.remembered_store_url import REMEMBERED
from autograder.batch.submission_file_names import make_safe_file_name
from autograder.faults import KitFault, translate_file_errors
from autograder.formula_injection import neutralize_formula
from autograder.safe_text import escape_name_unambiguously
from autograder.store.connection import DATABASE_FILE
from autograder.store.people.person_pseudonymizer import PersonPseudonymizer

FOLDERS = ("reports", "raw", PAGES_FOLDER)
VIEWS = (OVERVIEW, SIMILAR)
"""Pages about the whole class, which can be written again."""
NOT_SEARCHED = (DATABASE_FILE, "web-secret", REMEMBERED)
MOST_BYTES = 64 * 2**20
"""Largest file that is searched for names; larger ones are listed as if they contained some."""


@dataclass(frozen=True, slots=True)
class ResultPaths:
    """The paths in a results folder that hold data of some submissions."""

    own: tuple[Path, ...]
    """Files about these submissions alone: reports, records, pages, submitted files."""
    gradebooks: tuple[Path, ...] = ()
    """Gradebooks with rows of these submissions."""
    views: tuple[Path, ...] = ()
    """Pages about the whole class."""


def find_result_paths(output_folder: Path, submission_names: Collection[str]) -> ResultPaths:
    """Return the files and gradebooks in a results folder that the kit wrote about submissions."""
    stems = [make_safe_file_name(name) for name in submission_names]
    own = [path for path in _iterate_files_of_submissions(output_folder) if _is_of(path, stems)]
    roots = [output_folder, *sorted(one for one in (output_folder / VERSIONS).glob("*") if one.is_dir())]
    gradebooks = [
        root / GRADEBOOK for root in roots if read_gradebook_header_and_rows(root / GRADEBOOK, submission_names)[1:]
    ]
    views = [output_folder / name for name in VIEWS if (output_folder / name).is_file()]
    return ResultPaths(tuple(sorted(own)), tuple(gradebooks), tuple(views))


def read_gradebook_header_and_rows(gradebook_path: Path, submission_names: Collection[str]) -> list[list[str]]:
    """Return the header of a gradebook and the rows of submissions; empty if there is no gradebook."""
    if not gradebook_path.is_file():
        return []
    rows = [*csv.reader(io.StringIO(gradebook_path.read_text(encoding="utf-8"), newline=""))]
    ids = _list_cells(submission_names)
    return [*rows[:1], *(row for row in rows[1:] if row and row[0] in ids)]


def remove_submission_results(
    result_files: ResultPaths,
    submission_names: Collection[str],
    rename_handed_in_file: Callable[[str], str] | None = None,
) -> None:
    """Remove files, and the rows of submissions from gradebooks.

    Args:
        result_files: the files.
        submission_names: the submissions.
        rename_handed_in_file: returns a new name for a submitted file, which then stays; submitted files are removed
            when None.

    Raises:
        KitFault: one of them cannot be removed.
    """
    ids = _list_cells(submission_names)
    for gradebook in result_files.gradebooks:
        rows = [*csv.reader(io.StringIO(gradebook.read_text(encoding="utf-8"), newline=""))]
        text = io.StringIO(newline="")
        csv.writer(text).writerows(row for row in rows if not row or row[0] not in ids)
        write_file_atomically(gradebook, text.getvalue().encode())
    for path in (*result_files.own, *result_files.views):
        with translate_file_errors(path, fault_class=KitFault, action="remove", advice="remove it yourself"):
            if rename_handed_in_file and path.parent.parent.name == HANDED_IN:
                path.rename(path.with_name(rename_handed_in_file(path.name)))
            else:
                path.unlink(missing_ok=True)


def find_files_that_may_mention_person(
    output_folder: Path, name_replacer: PersonPseudonymizer, handed_in_digests: Collection[str]
) -> list[Path]:
    """Return files below a folder that name a person, equal one of their hand-ins, or are too large to be read.

    Args:
        output_folder: the folder.
        name_replacer: knows the names.
        handed_in_digests: the SHA-256 digests of the person's hand-ins.
    """
    found = []
    for path in sorted(output_folder.rglob("*")):
        if path.is_symlink() or not path.is_file() or path.name.startswith(NOT_SEARCHED):
            continue
        is_handed_in = path.parent.parent == output_folder / HANDED_IN  # other students' files, which may be equal
        if name_replacer.is_person_named_in(path.name) or _holds(
            path, name_replacer, () if is_handed_in else handed_in_digests
        ):
            found.append(path)
    return found


def _holds(path: Path, name_replacer: PersonPseudonymizer, digests: Collection[str]) -> bool:
    if path.stat().st_size > MOST_BYTES:
        return True
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() in digests:
        return True
    texts = [content]
    if zipfile.is_zipfile(io.BytesIO(content)):
        texts += _iterate_members(content)
    return any(name_replacer.is_person_named_in(text) for one in texts for text in _read_as_text(one))


def _read_as_text(content: bytes) -> tuple[str, str]:
    """Return a file's text as it is, and with HTML entities resolved."""
    text = content.decode("utf-8", "replace")
    return text, html.unescape(text)


def _iterate_members(content: bytes) -> Iterator[bytes]:
    """Yield names and contents of a zip, up to a size."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        left = MOST_BYTES
        for member in archive.infolist():
            yield member.filename.encode("utf-8", "replace")
            if member.file_size <= left and not member.flag_bits & 1:
                left -= member.file_size
                yield archive.read(member)


def _iterate_files_of_submissions(folder: Path) -> Iterator[Path]:
    roots = [folder, *(one for one in (folder / VERSIONS).glob("*") if one.is_dir())]
    for root in roots:
        for name in FOLDERS:
            yield from (one for one in (root / name).glob("*") if one.is_file())
    yield from (one for one in (folder / HANDED_IN).glob("*/*") if one.is_file())


def _is_of(path: Path, file_names: Iterable[str]) -> bool:
    stem = path.name.removesuffix(path.suffix)
    return any(stem == name or stem.startswith(f"{name}~") for name in file_names)


def _list_cells(submissions: Iterable[str]) -> set[str]:
    return {neutralize_formula(escape_name_unambiguously(name)) for name in submissions}
