"""Run a batch: grade entries, keep results, write reports and a gradebook; do nothing again that is done already."""

from __future__ import annotations

import os
import time
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from autograder.batch.coordinator import Coordinator
from autograder.batch.output_folder import VIEWS, OutputFolder
from autograder.batch.remembered_store import REMEMBERED
from autograder.batch.request import BatchRequest
from autograder.batch.scheduler import run_tasks
from autograder.batch.student_reports import load_report_context
from autograder.batch.summary import BatchSummary
from autograder.lateness import SubmissionTimes
from autograder.store.class_members import ClassMember
from autograder.store.class_table import StoredClass
from autograder.store.connection import FILE
from autograder.store.database import Store
from autograder.store.result_keys import make_grading_rules
from autograder.submissions import SubmissionEntry

OWN = ("", *VIEWS, REMEMBERED, FILE, f"{FILE}-wal", f"{FILE}-shm")


def run_batch(
    request: BatchRequest,
    entries: list[SubmissionEntry],
    *,
    source: Path | None = None,
    platform: str = "",
    submission_times: SubmissionTimes | None = None,
    roster: Sequence[Mapping[str, str]] | None = None,
) -> BatchSummary:
    """Grade every entry that has no result by the present rules, as far as earlier results do not hold.

    A result by another version of the kit stays as it is; ``run_regrade`` brings it up to date.

    Args:
        request: how to grade.
        entries: the class.
        source: the folder or zip that the entries lie in; kept for a later regrade.
        platform: the platform that the submissions came from; kept likewise.
        submission_times: who handed in what, and when; what was said the last time when None.
        roster: the course's list of students, kept for later runs; the one of the last time stays when None.

    Raises:
        CallerFault: the folder or the store cannot be written.
        CourseFault: the assignment cannot be used.
        KitFault: the machine fails; what was graded until then is kept.
    """
    place = request.place
    own = {os.path.realpath(place.out / name) for name in (*OWN, place.store_url.database or "")}
    members = [
        ClassMember(entry.name, entry.path, entry.problem, origin=entry.origin)
        for entry in entries
        if os.path.realpath(entry.path) not in own
    ]
    rules = make_grading_rules(request.assignment, request.sandbox.tier)
    with place.open_store() as kept:
        batch = kept.classes.begin_class(place.class_name, source or _above(entries), rules, members, platform)
        if roster is not None:
            kept.classes.save_roster(batch, roster)
        if submission_times is not None:
            kept.classes.record_submission_times(batch, submission_times)
        return _grade(request, kept, batch, members, other_kits=True)


def run_regrade(
    request: BatchRequest, entries: list[SubmissionEntry], *, dry: bool = False, only: Container[str] | None = None
) -> BatchSummary:
    """Bring the results of a class up to date: grade what it handed in then by the assignment as it is now.

    Submissions that are gone, or are not what they were, keep what is known of them. The exceptions are those of
    ``run_batch``.

    Args:
        request: how to grade.
        entries: what the class handed in then, as far as it is there.
        dry: whether nothing is written: no result, no report, no gradebook.
        only: the submissions to bring up to date, by name; the whole class when None. The others keep their results.
    """
    place = request.place
    found = {entry.name: entry for entry in entries}
    rules = make_grading_rules(request.assignment, request.sandbox.tier)
    with place.open_existing_store(dry_run=dry) as kept:
        earlier = place.find_class(kept, request.assignment.name)
        members = [_at(member, found.get(member.name)) for member in kept.classes.iterate_members(earlier)]
        batch = kept.classes.begin_class(place.class_name, earlier.source, rules, members, earlier.platform)
        return _grade(request, kept, batch, members, dry=dry, only=only)


def _grade(
    request: BatchRequest,
    store: Store,
    stored_class: StoredClass,
    members: list[ClassMember],
    *,
    other_kits: bool = False,
    dry: bool = False,
    only: Container[str] | None = None,
) -> BatchSummary:
    """Grade a class, as far as something must be run."""
    views = OutputFolder(
        request.place.out, members, load_report_context(store, stored_class, request.assignment.due), dry=dry
    )
    coordinator = Coordinator(request, store, stored_class, views, other_kits=other_kits)
    open_workers = partial(request.open_workers, request.assignment, request.sandbox)
    started = time.monotonic()
    chosen = members if only is None else [member for member in members if member.name in only]
    for done in run_tasks(coordinator.plan_tasks(chosen), open_workers, store.tick):
        coordinator.accept_result(done)
    coordinator.write_gradebook()
    coordinator.summary.seconds = time.monotonic() - started
    return coordinator.summary


def _at(member: ClassMember, entry: SubmissionEntry | None) -> ClassMember:
    """Return a member of the class with the place where its submission is now."""
    if entry is None:
        return member
    return replace(member, path=entry.path, problem=entry.problem)


def _above(entries: list[SubmissionEntry]) -> Path:
    return entries[0].path.parent if entries else Path()
