"""Check that an erasure sees the folder to which the worker of a server writes."""

from __future__ import annotations

from autograder.batch.batch_location import BatchLocation
from autograder.batch.output_layout import HANDED_IN
from autograder.faults import CallerFault
from autograder.store.store import Store


def require_folder_of_graded_hand_ins(store: Store, batch_location: BatchLocation) -> None:
    """Check that the results folder holds the files of hand-ins, if the store knows of graded ones.

    Pages and worker may have a folder each, under the same name. Rows that are erased while the other folder is seen
    leave the files of the worker without any record of whose they are.

    Raises:
        CallerFault: the folder holds no hand-ins.
    """
    summary = store.hand_ins.load_hand_in_queue_summary(batch_location.class_key_in_store)
    folder = batch_location.output_folder / HANDED_IN
    if summary.counts.get("graded") and not folder.is_dir():
        raise CallerFault(
            "the worker's files are not in this folder, so they would stay",
            str(folder),
            "run this command as the worker sees it (docs/server.md), or make this folder if the files are lost",
        )
