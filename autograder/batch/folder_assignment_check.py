"""Keep a batch from replacing the results files of another assignment unasked."""

from __future__ import annotations

import os
import warnings

from autograder.batch.batch_location import BatchLocation
from autograder.batch.output_layout import GRADEBOOK, HANDED_IN
from autograder.faults import CallerFault, CourseWarning
from autograder.store.connection import DATABASE_FILE


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
