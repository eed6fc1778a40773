"""Locate a batch: the folder of its output files, and the store of its results."""

from __future__ import annotations

import fcntl
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL

from autograder.course import Course, load_course
from autograder.faults import CallerFault, CourseWarning, translate_file_errors
from autograder.files import make_output_folder, warn_about_exposed_files, write_file_atomically
from autograder.store.connection import DATABASE_FILE, get_database_path_or_none, make_store_url
from autograder.store.results.graded_class_table import StoredGradedClass
from autograder.store.store import Store, open_or_create_store

REMEMBERED = "store.url"


def read_remembered_store_url(output_folder: Path) -> str:
    """Return the URL of a batch's store; empty if none was ever given.

    Raises:
        CallerFault: the file with the URL cannot be read.
    """
    path = output_folder / REMEMBERED
    if not os.path.isfile(path):  # problems with the folder are reported when it is made
        return ""
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise CallerFault(
            "cannot read the store's URL from this file",
            str(path),
            "name the store with --store, or remove this file",
        ) from error


def write_store_url_without_password(output_folder: Path, url: URL) -> None:
    """Write the URL of a batch's store, without the password, and with the full path of a file.

    Raises:
        CallerFault: the folder cannot be written to.
    """
    file = get_database_path_or_none(url)
    if file is not None:
        url = url.set(database=os.path.abspath(file))
    bare = URL.create(url.drivername, url.username, None, url.host, url.port, url.database, url.query)
    text = bare.render_as_string(hide_password=False)
    if text != read_remembered_store_url(output_folder):
        write_file_atomically(output_folder / REMEMBERED, f"{text}\n".encode())


GRADEBOOK = "gradebook.csv"
PAGES_FOLDER = "feedback"
VERSIONS = "versions"
OVERVIEW = "overview.html"
SIMILAR = "similar.html"
HANDED_IN = "handed-in"
"""The folder of hand-ins from the web as files, by assignment, for ``autograder regrade``; the bytes in the store are
authoritative."""
IMPORTS = "imports"
"""The folder of downloads that are being previewed on the web before their import."""
WRITTEN_NAMES = ("reports", "raw", PAGES_FOLDER, VERSIONS, GRADEBOOK, OVERVIEW, SIMILAR, IMPORTS)
"""Everything in the folder, but for the store."""


@dataclass(frozen=True, slots=True)
class BatchLocation:
    """A batch's folder and store."""

    output_folder: Path
    """Gets reports, records and the gradebook."""
    store_option: str = ""
    """The SQLAlchemy URL of the store.

    If empty, the URL of the last run is used, or else a file in ``output_folder``.
    """

    @property
    def store_url(self) -> URL:
        """Return the store's URL.

        Raises:
            CallerFault: the URL names no database that the kit can use.
        """
        return make_store_url(self.output_folder, self.store_option or read_remembered_store_url(self.output_folder))

    @property
    def is_store_named_by_url(self) -> bool:
        """Return whether the store is named by a URL, and not a file in the folder."""
        return bool(self.store_option or read_remembered_store_url(self.output_folder))

    @property
    def class_key_in_store(self) -> str:
        """Return the key of the class in its store: its folder in a store that many may share, else empty."""
        return str(self.output_folder.resolve()) if self.is_store_named_by_url else ""

    @contextmanager
    def open_or_create_store(self, *, dry_run: bool = False) -> Iterator[Store]:
        """Open the store, and make its folder and tables if they are missing, in a dry run too.

        The URL of a store that ``--store`` names is written into the output folder, except in a dry run.

        Raises:
            CallerFault: the store cannot be opened.
        """
        if not self.is_store_named_by_url:
            with translate_file_errors(
                self.output_folder, action="write to", advice="name another folder with --out"
            ):
                make_output_folder(self.output_folder)
        with open_or_create_store(self.store_url, dry_run=dry_run) as store:
            if self.store_option and not dry_run:
                write_store_url_without_password(self.output_folder, self.store_url)
            yield store
        self._warn_about_readable_files()  # at the end, when new files have their final permissions

    def load_course(self, course_path: Path) -> Course:
        """Load a course with the settings that its staff changed on the web, if there is a store here.

        Raises:
            CourseFault: the course does not hold together.
            CallerFault: the store cannot be opened.
        """
        if not self.is_store_named_by_url and not (self.output_folder / DATABASE_FILE).is_file():
            return load_course(course_path)
        with open_or_create_store(self.store_url, dry_run=True) as store:
            return store.settings.load_course(course_path, self.class_key_in_store)

    def _warn_about_readable_files(self) -> None:
        """Warn of files of this batch that more people can read than ought to."""
        kept = get_database_path_or_none(self.store_url)
        beside = [kept.with_name(kept.name + ending) for ending in ("", "-wal", "-shm", "-journal")] if kept else []
        warn_about_exposed_files([*(self.output_folder / name for name in (*WRITTEN_NAMES, REMEMBERED)), *beside])

    @contextmanager
    def open_existing_store(self, *, dry_run: bool = False) -> Iterator[Store]:
        """Open the store of a batch that was run already.

        Raises:
            CallerFault: there is no store, or it cannot be opened.
        """
        if not self.is_store_named_by_url and not (self.output_folder / DATABASE_FILE).is_file():
            advice = "name the folder, or the --store, that `autograder batch` was given"
            raise CallerFault(
                f"the results folder has no {DATABASE_FILE}", where=str(self.output_folder), advice=advice
            )
        with self.open_or_create_store(dry_run=dry_run) as store:
            yield store

    def get_stored_class(self, store: Store, assignment_name: str = "") -> StoredGradedClass:
        """Return the class that was graded here, the last one for an empty ``assignment_name``.

        Raises:
            CallerFault: no class was graded here.
        """
        batch = store.classes.find_last_graded_class(self.class_key_in_store, assignment_name)
        if batch is None:
            of_assignment = f" of {assignment_name}" if assignment_name else ""
            raise CallerFault(
                f"no submissions{of_assignment} were graded into this folder",
                str(self.output_folder),
                "name the folder and the store that `autograder batch` was given",
            )
        return batch


@contextmanager
def lock_output_folder(folder: Path) -> Iterator[None]:
    """Keep other processes from this block until it exits.

    Read the store within the block: files made from an earlier reading would replace those of a command that saved
    a decision meanwhile. Commit before the block, because the other command may wait for the database.

    The folder itself is locked, so nothing stays behind after a kill. Where it cannot be locked, as on some network
    file systems, the block runs without a lock.
    """
    descriptor = None
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def require_folder_without_other_assignment(location: BatchLocation, assignment_name: str) -> None:
    """Check that a folder's gradebook and reports are not of another assignment than a batch is about to grade.

    A folder that holds results of this assignment as well may be used, and so may that of a server, which keeps
    several assignments; their files can be written again from the store.

    Raises:
        CallerFault: the files are of another assignment.

    Warns:
        CourseWarning: the files are of another assignment, and will be replaced.
    """
    folder = location.output_folder
    if not any(os.path.exists(folder / name) for name in (GRADEBOOK, "reports")):
        return
    if not location.is_store_named_by_url and not os.path.isfile(folder / DATABASE_FILE):
        return
    with location.open_or_create_store(dry_run=True) as store:
        last = store.classes.find_last_graded_class(location.class_key_in_store)
        if last is None or last.rules.assignment == assignment_name:
            return
        is_known = store.classes.find_last_graded_class(location.class_key_in_store, assignment_name) is not None
    other = last.rules.assignment
    if not is_known and not (folder / HANDED_IN).is_dir():
        raise CallerFault(
            f"this folder holds the results of {other}, which those of {assignment_name} would replace",
            str(folder),
            "name another folder with --out",
        )
    warnings.warn(
        f"{folder}: gradebook and reports of {other} are replaced by those of {assignment_name}; "
        f"`autograder report {other} --out {folder}` writes them again",
        CourseWarning,
        stacklevel=2,
    )
