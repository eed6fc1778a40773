"""Load the roster and the submission entries that earlier runs saved for a class."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace

from autograder.batch.batch_location import BatchLocation
from autograder.lateness import SubmissionTimes
from autograder.roster.roster import Roster
from autograder.safe_text import escape_name_unambiguously
from autograder.store.connection import DATABASE_FILE
from autograder.store.results.graded_class_table import StoredGradedClass
from autograder.store.results.submission_entry_rows import StoredSubmissionEntry
from autograder.store.store import Store
from autograder.submissions import SubmissionEntry, SubmissionOrigin


def load_earlier_roster_and_entries(
    location: BatchLocation, assignment_name: str
) -> tuple[Roster | None, dict[str, StoredSubmissionEntry]]:
    """Return the roster and the entries by submission id that earlier runs saved; nothing before the first run.

    Raises:
        CallerFault: the store cannot be opened.
    """
    if not location.is_store_named_by_url and not os.path.isfile(location.output_folder / DATABASE_FILE):
        return None, {}
    with location.open_or_create_store(dry_run=True) as store:
        graded_class = store.classes.find_last_graded_class(location.class_key_in_store, assignment_name)
        if graded_class is None:
            return None, {}
        entries = store.classes.iterate_entries(graded_class)
        return load_earlier_roster(store, graded_class), {
            escape_name_unambiguously(entry.name): entry for entry in entries
        }


def load_earlier_roster(store: Store, stored_class: StoredGradedClass) -> Roster | None:
    """Return the roster that a class was graded with; None if there was none."""
    rows = store.classes.load_roster_rows(stored_class)
    return Roster.from_parsed_rows(rows) if rows else None


def find_earlier_submission_times(
    earlier_entries: Mapping[str, StoredSubmissionEntry], entries: Iterable[SubmissionEntry]
) -> SubmissionTimes | None:
    """Return the stored students and times of these submissions; None if there are none.

    If a submission's origin changed since, its group members are taken from the submission itself.
    """
    rows = {}
    for entry in entries:
        stored = earlier_entries.get(escape_name_unambiguously(entry.name))
        if stored and (time := stored.submission_time):
            is_same_origin = _without_roster(stored.origin) == _without_roster(entry.origin)
            rows[escape_name_unambiguously(entry.name)] = time if is_same_origin else replace(time, members=())
    return SubmissionTimes(rows) if rows else None


def _without_roster(origin: SubmissionOrigin | None) -> SubmissionOrigin:
    return replace(origin or SubmissionOrigin(""), roster=())
