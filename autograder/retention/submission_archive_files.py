"""Write a zip with submissions, whose names it can hold, and with data as JSON."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from autograder.batch.submission_file_names import make_safe_file_name
from autograder.faults import make_file_fault
from autograder.store.results.graded_class_table import StoredGradedClass
from autograder.store.results.submission_entry_rows import StoredSubmissionEntry
from autograder.store.store import Store
from autograder.store.web.hand_in_model import HandIn

OpenSubmissionPaths = Callable[[StoredGradedClass], AbstractContextManager[Mapping[str, Path]]]
"""Yields the path of each submission of a class by its name, as far as they are still there."""


@dataclass
class ArchiveWriter:
    """A zip that is being written, with the digests of its files."""

    archive: zipfile.ZipFile
    open_submission_paths: OpenSubmissionPaths
    digests: dict[str, str] = field(default_factory=dict)
    missing_submissions: list[str] = field(default_factory=list)
    """Submissions whose files are gone, and so are not in the zip."""
    was_there: bool = False
    """Whether an earlier run wrote an archive with the same files, which stays as it is."""

    def add_file(self, archive_path: str, file_content: bytes) -> None:
        """Add a file; if its name is taken, add it under another name."""
        while archive_path in self.digests:
            archive_path = f"{archive_path}~"
        self.archive.writestr(archive_path, file_content)
        self.digests[archive_path] = hashlib.sha256(file_content).hexdigest()

    def add_json(self, archive_path: str, json_data: object) -> None:
        """Add data as indented JSON."""
        text = json.dumps(json_data, indent=1, ensure_ascii=False, default=str)
        self.add_file(archive_path, text.encode("utf-8", "backslashreplace") + b"\n")

    def add_submissions(
        self,
        store: Store,
        folder: str,
        hand_ins: Iterable[HandIn],
        stored_class: StoredGradedClass | None,
        entries: Iterable[StoredSubmissionEntry],
    ) -> None:
        """Add submissions to one assignment: those of the web from the store, others as far as they still exist."""
        from_web = set()
        for hand_in in hand_ins:
            from_web.add(hand_in.submission)
            name = f"{make_safe_file_name(hand_in.submission)}/{make_safe_file_name(hand_in.file_name)}"
            self.add_file(f"{folder}/{name}", store.hand_ins.load_content(hand_in))
        with self.open_submission_paths(stored_class) if stored_class else nullcontext({}) as path_by_submission:
            for entry in entries:
                if entry.name in from_web:
                    continue
                files = _read_archive_entries(entry.name, path_by_submission.get(entry.name, entry.path))
                if files is None:
                    self.missing_submissions.append(entry.name)
                for name, content in files or ():
                    self.add_file(f"{folder}/{name}", content)


def _read_archive_entries(submission_name: str, path: Path) -> list[tuple[str, bytes]] | None:
    """Return the files of a submission, each with its path in a zip, which tells whose it is; None if all are gone.

    A file that is called as the submission, such as ``ada.py``, keeps its name. Any other one is put into a folder
    that is called as the submission: many platforms' files are all called ``value.py``. Links are skipped.

    Raises:
        CallerFault: a file cannot be read.
    """
    try:
        if not path.exists():
            return None
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        return [
            (_make_archive_name(submission_name, path, file), file.read_bytes())
            for file in files
            if file.is_file() and not file.is_symlink()
        ]
    except OSError as error:
        raise make_file_fault(error, error.filename or path) from error


def _make_archive_name(submission_name: str, path: Path, file: Path) -> str:
    """Return a name that a zip can hold: UTF-8, without characters that some programs refuse."""
    is_single = file == path
    folders = () if is_single and submission_name in (path.stem, path.name) else (submission_name,)
    inner_names = (path.name,) if is_single else file.relative_to(path).parts
    return "/".join(map(make_safe_file_name, (*folders, *inner_names)))
