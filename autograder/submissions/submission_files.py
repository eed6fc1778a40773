"""Read the files of one submission, each once, within size limits and without following links."""

from __future__ import annotations

import codecs
import hashlib
import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NoReturn

from autograder.faults import raise_if_machine_failed
from autograder.submissions.safe_paths import MAX_DEPTH
from autograder.submissions.submission_model import UngradableSubmission
from autograder.text import escape_for_sentence

IGNORED_FOLDERS = frozenset({"__pycache__", "__MACOSX", "tests", "node_modules", "venv", "site-packages"})
IGNORED_FILES = frozenset({"conftest.py", "notebook_check.py", "setup.py", "Thumbs.db", "desktop.ini"})
SOURCE_SUFFIXES = (".py", ".ipynb")
MAX_FILES = 2000
MAX_HASHED_BYTES = 1 << 30
"""Most bytes that are hashed; a larger file is reported as too large, without a digest."""
ALONE_ADVICE = "Hand in your own files alone."
ENDING = re.compile(r"(py|ipynb|zip)(?:[\s_-]*\(\d+\)|[\s_-]+\d+|~)?\s*", re.IGNORECASE)
"""What may stand between two points of a name: an ending, and the number that a second download of it gets."""
SCRIPT = (".py", ".ipynb", ".txt", ".text", ".md", ".json", "")
"""Endings of other files that may hold a program, where there is none by its name."""
PYTHON_LINE = re.compile(rb"^[ \t]*(?:class|def|import|from|@|#|\w+[ \t]*=)", re.M)
NOTEBOOK_KEYS = (b'"nbformat"', b'"cell_type"')
FOREIGN_STARTS = {
    b"<!doctype": "a web page (HTML)",
    b"<html": "a web page (HTML)",
    b"<<<": "",  # git's marks
    b"<": "a web page or another XML file",
    b"{\\rtf": "a document of a text processor (RTF)",
    b"%pdf": "a PDF document",
    b"pk\x03\x04": "a zip archive or an office document",
    b"\xd0\xcf\x11\xe0": "an office document",
    b"rar!": "a RAR archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"\x1f\x8b": "a gzip archive",
    b"\x89png": "a picture",
    b"\xff\xd8\xff": "a picture",
}
"""How files begin that are called ``.py`` or ``.ipynb`` now and then, in lower case, and what they are."""


def split_source_name(file_name: str) -> tuple[str, str]:
    """Split a file's name at its ending, ``.py``, ``.ipynb`` or ``.zip``, whatever a browser or editor added to it.

    >>> split_source_name("value.py.txt"), split_source_name("value.ipynb (1).JSON"), split_source_name("notes.txt")
    (('value', '.py'), ('value', '.ipynb'), ('notes.txt', ''))
    """
    first, *parts = file_name.split(".")
    for place in range(len(parts) - 1, -1, -1):
        stem = ".".join([first, *parts[:place]])
        if (ending := ENDING.fullmatch(parts[place])) and stem.strip("."):
            return stem, f".{ending[1].lower()}"
    return file_name, ""


@dataclass(frozen=True, slots=True)
class SubmittedFile:
    """One file of a submission."""

    name: str
    """Relative to the submission, with forward slashes."""
    content: bytes
    """The bytes of a Python file, a notebook or a single file; empty for any other file beside a program."""

    @property
    def suffix(self) -> str:
        """Return the ending, in lower case."""
        return PurePosixPath(self.name).suffix.lower()

    @property
    def source_suffix(self) -> str:
        """Return the ending that says what is in the file; see ``split_source_name``."""
        return split_source_name(PurePosixPath(self.name).name)[1]

    @property
    def foreign_kind(self) -> str:
        """Return what the file is, if it begins as no Python text and no notebook does; empty otherwise."""
        start = self._start[:16].lower()
        return next((kind for begin, kind in FOREIGN_STARTS.items() if start.startswith(begin)), "")

    @property
    def is_notebook(self) -> bool:
        """Return whether it is to be read as a notebook: its content decides, and its name where that does not."""
        if self._start.startswith(b"{") and any(key in self.content for key in NOTEBOOK_KEYS):
            return True
        is_text = not (self.foreign_kind or self._start.startswith((b"{", b"[", b'"')))
        return self.source_suffix == ".ipynb" and not (is_text and PYTHON_LINE.search(self.content))

    @property
    def _start(self) -> bytes:
        return self.content[:1024].removeprefix(codecs.BOM_UTF8).lstrip()


def abbreviate_file_names(files: Sequence[SubmittedFile]) -> str:
    """Return the first five names in order, separated by commas, for display."""
    return ", ".join(escape_for_sentence(name, 80) for name in sorted(file.name for file in files)[:5])


def is_ignored_file(relative_path: str) -> bool:
    """Return whether a file is from an operating system, an editor or the template, and is not a student's work.

    >>> is_ignored_file("__MACOSX/value.py"), is_ignored_file("work/value.py")
    (True, False)
    """
    *folders, name = PurePosixPath(relative_path).parts
    return (
        any(part.startswith(".") or part in IGNORED_FOLDERS for part in folders)
        or name.startswith((".", "test_"))
        or name in IGNORED_FILES
    )


def is_hidden_source_file(relative_path: str) -> bool:
    """Return whether a file is left out because its name begins with a dot, although it is a program.

    >>> [is_hidden_source_file(path) for path in ("work/.value.py", "work/._value.py", ".git/value.py")]
    [True, False, False]
    """
    name = PurePosixPath(relative_path).name
    return (
        name.startswith(".")
        and not name.startswith("._")  # a Mac's, beside each file
        and PurePosixPath(name).suffix.lower() in SOURCE_SUFFIXES
        and not is_ignored_file(f"{relative_path.removesuffix(name)}file")
    )


def list_submitted_files(path: Path, max_bytes: int) -> list[SubmittedFile]:
    """List all files of a submission, sorted by name in each folder; a single file is a submission of one.

    Of programs whose names begin with a dot only the names are listed, since they are not graded.

    Args:
        max_bytes: bytes that all files together may have.

    Raises:
        UngradableSubmission: the files are too large or too many, or cannot be read.
    """
    if _is_link(path) or not path.is_dir():
        return [read_single_submitted_file(path, max_bytes)]
    files: list[SubmittedFile] = []
    bytes_left, folder_count = max_bytes, 0
    for folder, folders, names in os.walk(path, followlinks=False, onerror=_cannot_list):
        relative_folder = Path(folder).relative_to(path)
        folder_count += 1
        if len(relative_folder.parts) > MAX_DEPTH:
            raise UngradableSubmission(
                "too-many-files", f"There are folders in folders, more than {MAX_DEPTH} deep. {ALONE_ADVICE}"
            )
        folders[:] = sorted(
            name for name in folders if not is_ignored_file(f"{name}/file") and not _is_link(Path(folder) / name)
        )
        for name in sorted(names):
            file = Path(folder) / name
            relative_path = (relative_folder / name).as_posix()
            is_hidden = is_hidden_source_file(relative_path)
            if _is_link(file) or (is_ignored_file(relative_path) and not is_hidden):
                continue
            if len(files) >= MAX_FILES:
                raise UngradableSubmission("too-many-files", f"There are more than {MAX_FILES} files. {ALONE_ADVICE}")
            is_read = split_source_name(name)[1] in SOURCE_SUFFIXES and not is_hidden
            content = _read_content(file, bytes_left, max_bytes) if is_read else b""
            bytes_left -= len(content)
            files.append(SubmittedFile(relative_path, content))
        if folder_count > MAX_FILES:
            raise UngradableSubmission("too-many-files", f"There are more than {MAX_FILES} folders. {ALONE_ADVICE}")
    if any(file.source_suffix in SOURCE_SUFFIXES for file in files):
        return files
    return _read_possible_scripts(path, files, bytes_left)


def _read_possible_scripts(folder: Path, files: list[SubmittedFile], bytes_left: int) -> list[SubmittedFile]:
    """Return the files of a folder without a program, with the content of those that may be one by another name."""
    read_files = []
    for file in files:
        path, content = folder / file.name, b""
        if file.suffix in SCRIPT and path.stat().st_size <= bytes_left:
            content = _read_content(path, bytes_left, bytes_left)
            bytes_left -= len(content)
        read_files.append(SubmittedFile(file.name, content))
    return read_files


def read_single_submitted_file(path: Path, max_bytes: int) -> SubmittedFile:
    """Read one file that is a submission by itself.

    Raises:
        UngradableSubmission: the file is too large, or cannot be read.
    """
    if _is_link(path):
        raise UngradableSubmission("link", "This is a link to another file. Hand in the file itself.")
    return SubmittedFile(path.name, _read_content(path, max_bytes, max_bytes))


def _cannot_list(error: OSError) -> NoReturn:
    raise_if_machine_failed(error, error.filename, "open")
    raise UngradableSubmission(
        "unreadable", f"The folder cannot be opened: {error.strerror}. Hand it in again."
    ) from error


def _is_link(path: Path) -> bool:
    try:
        return path.is_symlink()
    except OSError as error:
        _cannot_list(error)


def hash_files(files: list[SubmittedFile]) -> str:
    """Return the SHA-256 over all names and the contents that were read; for a single file, over its content.

    In a folder with Python files or notebooks, only these were read.
    """
    if len(files) == 1:
        return hashlib.sha256(files[0].content).hexdigest()
    total = hashlib.sha256()
    for file in sorted(files, key=lambda f: f.name):
        total.update(f"{len(file.name.encode('utf-8', 'surrogateescape'))}:{len(file.content)}:".encode())
        total.update(file.name.encode("utf-8", "surrogatepass") + file.content)
    return total.hexdigest()


def _read_content(path: Path, bytes_left: int, limit: int) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise_if_machine_failed(error, error.filename, "open")
        raise UngradableSubmission(
            "unreadable", f"The file cannot be opened: {error.strerror}. Hand it in again."
        ) from error
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise UngradableSubmission("not-a-file", "This is not an ordinary file. Hand in value.py or a notebook.")
        content = file.read(bytes_left + 1)
        if len(content) <= bytes_left:
            return content
        size = os.fstat(file.fileno()).st_size
        file.seek(0)
        raise UngradableSubmission(
            "too-large",
            f"With {escape_for_sentence(path.name, 100)}, the submission has "
            f"{(limit - bytes_left + size) / 2**20:.1f} MB; at most {limit / 2**20:.0f} MB can be graded. "
            "Hand in your own code alone, and clear large outputs from a notebook before you save it.",
            sha256=hashlib.file_digest(file, "sha256").hexdigest() if size <= MAX_HASHED_BYTES else "",
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
