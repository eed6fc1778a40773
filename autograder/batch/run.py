"""Run a batch: grade entries, keep results, write reports and a gradebook; do nothing again that is done already."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from autograder.batch.clerk import Clerk, Regraded
from autograder.batch.deliver import delivered
from autograder.batch.folder import VIEWS, Views
from autograder.batch.launch import get_ready
from autograder.batch.local import local_workers
from autograder.batch.place import Place
from autograder.batch.summary import BatchSummary, Progress
from autograder.batch.views import terms_of
from autograder.batch.work import OpenWorkers
from autograder.course import Assignment
from autograder.lateness import HandIns
from autograder.sandbox import Sandbox
from autograder.store.classes import Batch
from autograder.store.connect import FILE
from autograder.store.database import Store
from autograder.store.keys import rules_of
from autograder.store.members import Member
from autograder.submissions import Entry

OWN = ("", *VIEWS, FILE, f"{FILE}-wal", f"{FILE}-shm")


def run_batch(
    entries: list[Entry],
    assignment: Assignment,
    sandbox: Sandbox,
    out: Path,
    *,
    workers: int | None = None,
    open_workers: OpenWorkers | None = None,
    progress: Progress = lambda done: None,
    store: str = "",
    source: Path | None = None,
    platform: str = "",
    hand_ins: HandIns | None = None,
    regraded: Callable[[Regraded], None] | None = None,
) -> BatchSummary:
    """Grade every entry that has no result by the present rules, as far as earlier results do not hold.

    A result by another version of the kit stays as it is; ``run_regrade`` brings it up to date.

    Args:
        entries: the class.
        assignment: the assignment that is graded.
        sandbox: where the students' code runs.
        out: gets ``reports/``, ``raw/`` and ``gradebook.csv``.
        workers: number of processes at once; as many as there are processors when None.
        open_workers: where to grade; processes on this machine when None.
        progress: told of every entry once.
        store: the SQLAlchemy URL of what is kept; a file in ``out`` when empty.
        source: the folder or zip that the entries lie in; kept for a later regrade.
        platform: the platform that the submissions came from; kept likewise.
        hand_ins: who handed in what, and when; what was said the last time when None.
        regraded: told of every newly graded entry that had an earlier result.

    Raises:
        CallerFault: ``out`` or the store cannot be written.
        CourseFault: the assignment cannot be used.
        KitFault: the machine fails; what was graded until then is kept.
    """
    if open_workers is None:
        get_ready()
    place = Place(out, store)
    own = {os.path.realpath(out / name) for name in (*OWN, place.url.database or "")}
    members = [
        Member(entry.name, entry.path, entry.problem, origin=entry.origin)
        for entry in entries
        if os.path.realpath(entry.path) not in own
    ]
    grading = _Grading(assignment, sandbox, out, workers, open_workers, progress, regraded, other_kits=True)
    rules = rules_of(assignment, sandbox.tier)
    with place.opened() as kept:
        batch = kept.classes.begin(place.class_name, source or _above(entries), rules, members, platform)
        if hand_ins is not None:
            kept.classes.note_hand_ins(batch, hand_ins)
        return grading.of(kept, batch, members)


def run_regrade(
    entries: list[Entry],
    assignment: Assignment,
    sandbox: Sandbox,
    out: Path,
    *,
    workers: int | None = None,
    open_workers: OpenWorkers | None = None,
    progress: Progress = lambda done: None,
    store: str = "",
    regraded: Callable[[Regraded], None] | None = None,
    dry: bool = False,
) -> BatchSummary:
    """Bring the results of a class up to date: grade what it handed in then by the assignment as it is now.

    With ``dry``, nothing is written: no result, no report, no gradebook. Submissions that are gone, or are not what
    they were, keep what is known of them. The other arguments and the exceptions are those of ``run_batch``.
    """
    if open_workers is None:
        get_ready()
    place = Place(out, store)
    found = {entry.name: entry for entry in entries}
    grading = _Grading(assignment, sandbox, out, workers, open_workers, progress, regraded, dry=dry)
    rules = rules_of(assignment, sandbox.tier)
    with place.reopened(dry=dry) as kept:
        earlier = place.find(kept, assignment.name)
        members = [_at(member, found.get(member.name)) for member in kept.classes.members(earlier)]
        batch = kept.classes.begin(place.class_name, earlier.source, rules, members, earlier.platform)
        return grading.of(kept, batch, members)


@dataclass(frozen=True, slots=True)
class _Grading:
    """How a class is graded, whoever belongs to it."""

    assignment: Assignment
    sandbox: Sandbox
    out: Path
    workers: int | None
    open_workers: OpenWorkers | None
    progress: Progress
    regraded: Callable[[Regraded], None] | None
    other_kits: bool = False
    dry: bool = False

    def of(self, store: Store, batch: Batch, members: list[Member]) -> BatchSummary:
        """Grade a class, as far as something must be run."""
        views = Views(self.out, members, terms_of(store, batch, self.assignment.due), dry=self.dry)
        clerk = Clerk(store, batch, views, self.assignment, self.progress, self.regraded, other_kits=self.other_kits)
        open_workers = self.open_workers or partial(local_workers, count=self.workers)
        start = partial(open_workers, self.assignment, self.sandbox)
        started = time.monotonic()
        for done in delivered(clerk.tasks(members), start, store.tick):
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
