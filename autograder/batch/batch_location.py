"""Locate a batch: the folder of its output files, and the store of its results."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL

from autograder.batch.output_layout import WRITTEN_NAMES
from autograder.batch.remembered_store_url import (
    REMEMBERED,
    read_remembered_store_url,
    write_store_url_without_password,
)
from autograder.faults import CallerFault, translate_file_errors
from autograder.output_file_permissions import make_output_folder, warn_about_exposed_files
from autograder.store.connection import DATABASE_FILE, get_database_path_or_none, make_store_url
from autograder.store.results.graded_class_table import StoredGradedClass
from autograder.store.store import Store, open_or_create_store


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
