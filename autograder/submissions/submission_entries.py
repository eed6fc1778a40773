"""Find the submissions of a class: one per file or sub-folder of a folder or zip."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from zipfile import BadZipFile, is_zipfile

from autograder.faults import CallerFault, translate_file_errors
from autograder.files import temporary_folder
from autograder.submissions.origin import SubmissionOrigin
from autograder.submissions.safe_paths import may_leave_folder
from autograder.submissions.submission_files import SOURCE_SUFFIXES, split_source_name
from autograder.submissions.zips import BadArchive, unpack_class_zip
from autograder.text import make_file_name_collision_key

VALUE_FILES = tuple(("value", suffix) for suffix in SOURCE_SUFFIXES)
JUNK_NAMES = frozenset({"thumbs.db", "desktop.ini", "icon\r", "__macosx", "__pycache__"})
MOST_BYTES = 4 << 30


@dataclass(frozen=True, slots=True)
class SubmissionEntry:
    """One submission found in a folder or zip, a student's or a group's: its name, its path and its origin."""

    name: str
    path: Path
    reading_problem: str = ""
    """Why nothing can be read there, for the student; empty when something can."""
    origin: SubmissionOrigin | None = None
    """The origin; None if unknown."""


@dataclass(frozen=True, slots=True)
class OpenedSubmissionsFolder:
    """A class's folder, or its unpacked zip."""

    folder: Path
    original_path: Path
    """The path that the caller gave."""
    reason_by_unreadable_path: Mapping[str, str] = field(default_factory=dict)
    """Members of a zip that could not be unpacked, and why."""
    original_name_by_path: Mapping[str, str] = field(default_factory=dict)
    """Original names in the zip that are too long for a file system, by the shortened names on the disk."""

    @property
    def without_wrapper_folder(self) -> OpenedSubmissionsFolder:
        """Return the only folder in it; itself, if there is anything else."""
        children = [path for path in self.folder.iterdir() if not _is_junk(path)]
        if len(children) != 1 or children[0].is_symlink() or not children[0].is_dir():
            return self
        prefix = f"{children[0].name}/"
        reasons = {
            name.removeprefix(prefix): reason
            for name, reason in self.reason_by_unreadable_path.items()
            if name.startswith(prefix)
        }
        return OpenedSubmissionsFolder(children[0], self.original_path, reasons, self.original_name_by_path)


@contextmanager
def open_submission_entries(folder_or_zip: Path) -> Iterator[list[SubmissionEntry]]:
    """Yield the entries of a folder or zip, sorted by name; a zip is unpacked for as long as this is open.

    Raises:
        CallerFault: ``folder_or_zip`` is neither a folder nor a zip that can be read, or holds no submission.
    """
    with open_submissions_folder(folder_or_zip) as opened:
        yield list_submission_entries(opened)


def list_submission_entries(opened: OpenedSubmissionsFolder) -> list[SubmissionEntry]:
    """Return an entry for each student's file or folder, sorted by name.

    Raises:
        CallerFault: the folder cannot be read, or holds no submission.
    """
    if opened.folder == opened.original_path:
        return _make_entries(opened.folder, opened.original_path)
    folder = _find_folder_of_entries(opened.folder)
    wrapper = PurePosixPath(folder.relative_to(opened.folder))
    return _make_entries(folder, opened.original_path, _key_by_student(opened.reason_by_unreadable_path, wrapper))


@contextmanager
def open_submissions_folder(folder_or_zip: Path) -> Iterator[OpenedSubmissionsFolder]:
    """Open a folder as it is, or unpack a zip for as long as this is open.

    Raises:
        CallerFault: ``folder_or_zip`` is neither a folder nor a zip that can be read.
    """
    with translate_file_errors(folder_or_zip, action="open"):
        is_folder, exists = folder_or_zip.is_dir(), folder_or_zip.exists()
    if is_folder:
        yield OpenedSubmissionsFolder(folder_or_zip, folder_or_zip)
        return
    if not exists:
        raise CallerFault(
            "this folder or zip does not exist", str(folder_or_zip), "name the folder or zip of submissions"
        )
    with temporary_folder("submissions") as folder:
        try:
            unpacked = unpack_class_zip(folder_or_zip, folder, MOST_BYTES)
        except BadArchive as error:
            is_not_a_zip = isinstance(error.__cause__, BadZipFile) and not is_zipfile(folder_or_zip)
            zip_problem = str(error).rpartition(". ")[0]  # without the last sentence, which advises a student
            problem = "this file is not an intact zip" if is_not_a_zip else zip_problem[:1].lower() + zip_problem[1:]
            raise CallerFault(problem, str(folder_or_zip), "name a folder or a zip of submissions") from error
        yield OpenedSubmissionsFolder(
            folder, folder_or_zip, unpacked.reason_by_unreadable_path, unpacked.original_name_by_path
        )


def _make_entries(folder: Path, source: Path, unreadable: dict[str, str] | None = None) -> list[SubmissionEntry]:
    """Return an entry for each file and folder, and for each one that could not be unpacked."""
    with translate_file_errors(source):
        paths = [path for path in folder.iterdir() if not _is_junk(path)]
    problems = {folder / name: reason for name, reason in (unreadable or {}).items() if not _is_junk(folder / name)}
    paths = sorted({*paths, *problems})
    if not paths:
        raise CallerFault(
            "this folder or zip holds no submissions", str(source), "put a file or sub-folder for each student in it"
        )
    return [
        SubmissionEntry(name, path, problems.get(path, ""))
        for name, path in zip(_make_names(paths), paths, strict=True)
    ]


def _key_by_student(unreadable: Mapping[str, str], wrapper: PurePosixPath) -> dict[str, str]:
    """Return why files could not be unpacked, by the name of the student's file or folder that they belong to."""
    problems = {}
    for member, reason in unreadable.items():
        path = PurePosixPath(member.replace("\\", "/"))
        parts = path.relative_to(wrapper).parts if path.is_relative_to(wrapper) else path.parts
        if parts:
            outside = f"outside {'_'.join(path.parts)}".replace("/", "_")
            problems[outside if may_leave_folder(member) else parts[0]] = reason
    return problems


def _make_names(paths: list[Path]) -> list[str]:
    """Return a name for each path: without its ending, unless two paths would then have one name."""
    names = [_make_name(path) for path in paths]
    while True:
        name_counts = Counter(make_file_name_collision_key(name) for name in names)
        new_names = [
            path.name if name_counts[make_file_name_collision_key(name)] > 1 else name
            for name, path in zip(names, paths, strict=True)
        ]
        if new_names == names:
            return names
        names = new_names


def _make_name(path: Path) -> str:
    return path.name if path.is_dir() else split_source_name(path.name)[0]


def _is_junk(path: Path) -> bool:
    return path.name.startswith(".") or path.name.lower() in JUNK_NAMES


def _find_folder_of_entries(folder: Path) -> Path:
    """Return the folder that holds the submissions of an unpacked zip.

    A zip of one folder of submissions is read as that folder; a zip of one student's folder is not.
    """
    children = [path for path in folder.iterdir() if not _is_junk(path)]
    if len(children) == 1 and children[0].is_dir():
        grandchildren = list(children[0].iterdir())
        if not any(split_source_name(path.name) in VALUE_FILES for path in grandchildren):
            return children[0]
    return folder
