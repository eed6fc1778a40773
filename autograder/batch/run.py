"""Run a batch: grade entries, keep results, write reports and a gradebook; do nothing again that is done already."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

from autograder.batch.clerk import Clerk
from autograder.batch.deliver import delivered
from autograder.batch.folder import VIEWS, Views
from autograder.batch.request import BatchRequest
from autograder.batch.summary import BatchSummary
from autograder.batch.views import terms_of
from autograder.lateness import HandIns
from autograder.store.classes import Batch
from autograder.store.connect import FILE
from autograder.store.database import Store
from autograder.store.keys import rules_of
from autograder.store.members import Member
from autograder.submissions import Entry

OWN = ("", *VIEWS, FILE, f"{FILE}-wal", f"{FILE}-shm")


def run_batch(
    request: BatchRequest,
    entries: list[Entry],
    *,
    source: Path | None = None,
    platform: str = "",
    hand_ins: HandIns | None = None,
) -> BatchSummary:
    """Grade every entry that has no result by the present rules, as far as earlier results do not hold.

    A result by another version of the kit stays as it is; ``run_regrade`` brings it up to date.

    Args:
        request: how to grade.
        entries: the class.
        source: the folder or zip that the entries lie in; kept for a later regrade.
        platform: the platform that the submissions came from; kept likewise.
        hand_ins: who handed in what, and when; what was said the last time when None.

    Raises:
        CallerFault: the folder or the store cannot be written.
        CourseFault: the assignment cannot be used.
        KitFault: the machine fails; what was graded until then is kept.
    """
    place = request.place
    own = {os.path.realpath(place.out / name) for name in (*OWN, place.url.database or "")}
    members = [
        Member(entry.name, entry.path, entry.problem, origin=entry.origin)
        for entry in entries
        if os.path.realpath(entry.path) not in own
    ]
    rules = rules_of(request.assignment, request.sandbox.tier)
    with place.opened() as kept:
        batch = kept.classes.begin(place.class_name, source or _above(entries), rules, members, platform)
        if hand_ins is not None:
            kept.classes.note_hand_ins(batch, hand_ins)
        return _grade(request, kept, batch, members, other_kits=True)


def run_regrade(request: BatchRequest, entries: list[Entry], *, dry: bool = False) -> BatchSummary:
    """Bring the results of a class up to date: grade what it handed in then by the assignment as it is now.

    Submissions that are gone, or are not what they were, keep what is known of them. The exceptions are those of
    ``run_batch``.

    Args:
        request: how to grade.
        entries: what the class handed in then, as far as it is there.
        dry: whether nothing is written: no result, no report, no gradebook.
    """
    place = request.place
    found = {entry.name: entry for entry in entries}
    rules = rules_of(request.assignment, request.sandbox.tier)
    with place.reopened(dry=dry) as kept:
        earlier = place.find(kept, request.assignment.name)
        members = [_at(member, found.get(member.name)) for member in kept.classes.members(earlier)]
        batch = kept.classes.begin(place.class_name, earlier.source, rules, members, earlier.platform)
        return _grade(request, kept, batch, members, dry=dry)


def _grade(
    request: BatchRequest,
    store: Store,
    batch: Batch,
    members: list[Member],
    *,
    other_kits: bool = False,
    dry: bool = False,
) -> BatchSummary:
    """Grade a class, as far as something must be run."""
    views = Views(request.place.out, members, terms_of(store, batch, request.assignment.due), dry=dry)
    clerk = Clerk(request, store, batch, views, other_kits=other_kits)
    open_workers = partial(request.open_workers, request.assignment, request.sandbox)
    started = time.monotonic()
    for done in delivered(clerk.tasks(members), open_workers, store.tick):
        clerk.keep(done)
    clerk.finish()
    clerk.summary.seconds = time.monotonic() - started
    return clerk.summary


def _at(member: Member, entry: Entry | None) -> Member:
    """Return a member of the class with the place where its submission is now."""
    if entry is None:
        return member
    return replace(member, path=entry.path, problem=entry.problem)


def _above(entries: list[Entry]) -> Path:
    return entries[0].path.parent if entries else Path()
