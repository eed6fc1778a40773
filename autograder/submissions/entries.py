"""The submissions of a class: one per file or sub-folder of a folder or zip."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from autograder.faults import CallerFault
from autograder.submissions.archive import BadArchive, unpack
from autograder.submissions.files import SOURCE_SUFFIXES

JUNK = frozenset({"thumbs.db", "desktop.ini", "icon\r", "__macosx", "__pycache__"})
MOST_BYTES = 4 << 30


@dataclass(frozen=True, slots=True)
class Entry:
    """One student's place in a batch."""

    name: str
    path: Path


@contextmanager
def open_entries(source: Path) -> Iterator[list[Entry]]:
    """The entries of a folder or zip, sorted by name; a zip is unpacked for as long as this is open.

    Raises:
        CallerFault: ``source`` is neither a folder nor a zip that can be read, or holds no submission.
    """
    if source.is_dir():
        yield _entries(source, source)
        return
    if not source.exists():
        raise CallerFault("does not exist", where=str(source), advice="name the folder or zip of submissions")
    with TemporaryDirectory(prefix="submissions-") as temporary:
        folder = Path(temporary)
        try:
            unpack(source, folder, MOST_BYTES)
        except BadArchive as error:
            raise CallerFault(
                str(error), where=str(source), advice="a batch is a folder or a zip of submissions"
            ) from error
        yield _entries(_below_wrapper(folder), source)


def _entries(folder: Path, source: Path) -> list[Entry]:
    try:
        paths = sorted(path for path in folder.iterdir() if not _is_junk(path))
    except OSError as error:
        raise CallerFault(f"cannot be read: {error.strerror}", where=str(source)) from error
    if not paths:
        raise CallerFault("holds no submission", where=str(source), advice="one file or sub-folder a student")
    stems = Counter(_stem(path).casefold() for path in paths)
    return [Entry(_stem(path) if stems[_stem(path).casefold()] == 1 else path.name, path) for path in paths]


def _stem(path: Path) -> str:
    known = path.is_file() and path.suffix.lower() in (*SOURCE_SUFFIXES, ".zip")
    return path.stem if known else path.name


def _is_junk(path: Path) -> bool:
    return path.name.startswith(".") or path.name.lower() in JUNK


def _below_wrapper(folder: Path) -> Path:
    """A zip of one folder of submissions is read as that folder; a zip of one student's folder is not."""
    inside = [path for path in folder.iterdir() if not _is_junk(path)]
    if len(inside) == 1 and inside[0].is_dir():
        below = list(inside[0].iterdir())
        if not any(path.stem == "value" and path.suffix in SOURCE_SUFFIXES for path in below):
            return inside[0]
    return folder
