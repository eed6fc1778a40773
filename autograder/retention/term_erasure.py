"""Erase a term from the results folder and the store."""

from __future__ import annotations

import shutil
from collections.abc import Callable

from autograder.batch.batch_location import BatchLocation
from autograder.batch.output_layout import HANDED_IN, WRITTEN_NAMES
from autograder.faults import KitFault, translate_file_errors
from autograder.retention.results_folder_check import require_folder_of_graded_hand_ins
from autograder.store.store import Store


def erase_term_except_staff(
    store: Store, batch_location: BatchLocation, require_archived: Callable[[], object]
) -> None:
    """Erase a course except its staff, first from the results folder and then from the store.

    Args:
        store: the open store.
        batch_location: where the store and the results folder are.
        require_archived: raises a fault if the archive lacks something; called when nobody can hand in any more.

    Raises:
        CallerFault: a hand-in waits to be graded, or the results folder is not the worker's.
        KitFault: the disk or the database fails.
    """
    require_folder_of_graded_hand_ins(store, batch_location)
    with store.group():
        store.terms.lock_hand_ins(batch_location.class_key_in_store)
        require_archived()
        for name in (*WRITTEN_NAMES, HANDED_IN):
            path = batch_location.output_folder / name
            with translate_file_errors(path, fault_class=KitFault, action="remove"):
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        store.terms.erase_student_records(batch_location.class_key_in_store)
