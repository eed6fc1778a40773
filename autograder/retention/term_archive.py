"""Pack a term into one zip, and verify it by reading it back."""

from __future__ import annotations

import hashlib
import os
import zipfile
from contextlib import suppress
from pathlib import Path

from autograder.atomic_file_writing import make_unfinished_path, resolve_output_file
from autograder.batch.batch_location import BatchLocation
from autograder.course import Course
from autograder.faults import MACHINE_ERROR_NUMBERS, CallerFault, KitFault, make_file_fault
from autograder.output_file_permissions import open_new_output_file
from autograder.retention.submission_archive_files import ArchiveWriter, OpenSubmissionPaths
from autograder.retention.term_archive_contents import MANIFEST, README_NAME, fill_term_archive
from autograder.store.store import Store


def write_term_archive(
    store: Store,
    batch_location: BatchLocation,
    course: Course,
    archive_path: Path,
    open_submission_paths: OpenSubmissionPaths,
) -> ArchiveWriter:
    """Write all stored data of a course into one zip, and return what is in it and what is missing.

    The zip is read back before it gets its name. A zip of an earlier run that holds the same stays, so that a stopped
    run can be repeated.

    Args:
        store: the open store.
        batch_location: where the store and the results folder are.
        course: the course.
        archive_path: the zip; must not exist, unless it holds the same.
        open_submission_paths: finds the files of a class that was graded from a download.

    Raises:
        CallerFault: the file exists, the course has no data, or a hand-in waits to be graded.
        KitFault: the disk or the database fails.
    """
    if archive_path.exists() and not zipfile.is_zipfile(archive_path):
        raise CallerFault("this file exists already", str(archive_path), "name another file")
    waiting = store.terms.list_pending_submission_names(batch_location.class_key_in_store)
    if waiting:
        raise CallerFault(
            f"submission {waiting[0]} still waits to be graded", advice="archive when everything is graded"
        )
    assignments = store.terms.list_assignments_with_data(batch_location.class_key_in_store)
    if not assignments and archive_path.exists():
        raise CallerFault(
            "the results folder has no data of a course, and this file may be its archive",
            str(archive_path),
            "keep it; if an erasure was stopped, run `autograder people compact`",
        )
    if not assignments:
        raise CallerFault(
            "the results folder has no data of a course",
            str(batch_location.output_folder),
            "name its folder with --out",
        )
    archive_path = resolve_output_file(archive_path)
    temporary = make_unfinished_path(archive_path.parent)
    try:
        with open_new_output_file(temporary) as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                made = ArchiveWriter(archive, open_submission_paths)
                fill_term_archive(made, store, batch_location, course, assignments)
            file.flush()
            os.fsync(file.fileno())
        _verify(temporary, made.digests)
        if archive_path.exists():
            if not _holds_same_files(archive_path, made.digests):
                raise CallerFault(
                    "this file exists already, and the term is no longer as it stands there",
                    str(archive_path),
                    "name another file",
                )
            made.was_there = True
        else:
            os.replace(temporary, archive_path)
    except OSError as error:
        fault = KitFault if error.errno in MACHINE_ERROR_NUMBERS else CallerFault
        raise make_file_fault(error, archive_path, fault_class=fault, action="write") from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    return made


def _holds_same_files(archive_path: Path, digests: dict[str, str]) -> bool:
    """Return whether an archive holds these files, but for those that say when it was written."""
    try:
        _verify(archive_path, {name: digests[name] for name in digests.keys() - {README_NAME, MANIFEST}})
    except (KeyError, zipfile.BadZipFile, KitFault):
        return False
    return True


def _verify(path: Path, digests: dict[str, str]) -> None:
    """Read an archive back.

    Raises:
        KitFault: its content differs from what was written.
    """
    with zipfile.ZipFile(path) as archive:
        for name, digest in digests.items():
            if hashlib.sha256(archive.read(name)).hexdigest() != digest:
                raise KitFault(
                    "a file in the archive differs from what was written into it",
                    f"{path}: {name}",
                    "look at the disk, then try again",
                )
