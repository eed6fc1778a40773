"""A batch: entries in, results kept, reports and a gradebook out; what is done already is not done again."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from autograder.batch.clerk import Clerk, Regraded
from autograder.batch.deliver import delivered
from autograder.batch.gradebook import write_gradebook
from autograder.batch.summary import BatchSummary, Progress
from autograder.batch.views import GRADEBOOK, Shown, Terms, Views, in_gradebook
from autograder.batch.work import OpenWorkers
from autograder.batch.worker import local_workers
from autograder.course import Assignment
from autograder.faults import CallerFault
from autograder.lateness import HandIns
from autograder.reports import ScoreReport
from autograder.sandbox import Sandbox
from autograder.store.classes import Batch, Member
from autograder.store.connect import FILE, url_of
from autograder.store.database import Store, open_store
from autograder.store.keys import rules_of
from autograder.submissions import Entry

OWN = ("", "reports", "raw", GRADEBOOK, FILE, f"{FILE}-wal", f"{FILE}-shm")


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
    hand_ins: HandIns | None = None,
    regraded: Callable[[Regraded], None] | None = None,
) -> BatchSummary:
    """Grade every entry of which there is no result by the present rules, as far as earlier ones do not hold.

    Args:
        entries: the class.
        assignment: of which assignment.
        sandbox: where the students' code runs.
        out: gets ``reports/``, ``raw/`` and ``gradebook.csv``.
        workers: processes at once; as many as there are processors when None.
        open_workers: where to grade; processes on this machine when None.
        progress: told of every entry once.
        store: the SQLAlchemy URL of what is kept; a file in ``out`` when empty.
        source: the folder or zip that the entries lie in; kept for a later regrade.
        hand_ins: who handed in what, and when; what was said the last time when None.
        regraded: told of every entry of which there was a result by earlier rules.

    Raises:
        CallerFault: ``out`` or the store cannot be written.
        CourseFault: the assignment cannot be used.
        KitFault: the machine fails; what was graded until then is kept.
    """
    own = {os.path.realpath(out / name) for name in (*OWN, url_of(out, store).database or "")}
    members = [
        Member(entry.name, entry.path, entry.problem) for entry in entries if os.path.realpath(entry.path) not in own
    ]
    with opened(out, store) as opened_store:
        batch = opened_store.classes.begin(
            class_name(out, store), source or _above(entries), rules_of(assignment, sandbox.tier), members
        )
        if hand_ins is not None:
            opened_store.classes.note_hand_ins(batch, hand_ins)
        start = open_workers or partial(local_workers, count=workers)
        return _run(opened_store, batch, members, assignment, sandbox, out, start, progress, regraded)


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
) -> BatchSummary:
    """Bring the results of a class up to date: what it handed in then, by the assignment as it is now.

    Args:
        entries: where the submissions are to be found; those that are gone, or are not what they were, keep what is
            known of them.

    The other arguments, and what is raised, as ``run_batch``.
    """
    found = {entry.name: entry for entry in entries}
    with reopened(out, store) as opened_store:
        earlier = find_class(opened_store, out, store, assignment.name)
        members = [_at(member, found.get(member.name)) for member in opened_store.classes.members(earlier)]
        rules = rules_of(assignment, sandbox.tier)
        batch = opened_store.classes.begin(class_name(out, store), earlier.source, rules, members)
        start = open_workers or partial(local_workers, count=workers)
        return _run(opened_store, batch, members, assignment, sandbox, out, start, progress, regraded)


def _run(
    store: Store,
    batch: Batch,
    members: list[Member],
    assignment: Assignment,
    sandbox: Sandbox,
    out: Path,
    start: OpenWorkers,
    progress: Progress,
    regraded: Callable[[Regraded], None] | None,
) -> BatchSummary:
    started = time.monotonic()
    terms = Terms(assignment.due, store.classes.hand_ins(batch))
    clerk = Clerk(store, batch, Views(out, members, terms), assignment, progress, regraded)
    summary = clerk.summary
    summary.submissions = len(members)
    for done in delivered(clerk.tasks(members), lambda: start(assignment, sandbox), store.tick):
        clerk.keep(done)
    store.commit()
    shown = _noted(in_gradebook(store, batch, terms), summary)
    write_gradebook(summary.late_ones(shown, terms.hand_ins), assignment, out / GRADEBOOK, terms.hand_ins)
    summary.seconds = time.monotonic() - started
    return summary


@contextmanager
def opened(out: Path, store: str) -> Iterator[Store]:
    """The store of a batch; its folder is made where it is missing.

    Raises:
        CallerFault: it cannot be opened.
    """
    if not store:
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CallerFault(
                f"cannot be written: {error.strerror}", where=str(out), advice="name another folder with --out"
            ) from error
    with open_store(url_of(out, store)) as found:
        yield found


@contextmanager
def reopened(out: Path, store: str) -> Iterator[Store]:
    """The store of a batch that was run already.

    Raises:
        CallerFault: there is none, or it cannot be opened.
    """
    if not store and not (out / FILE).is_file():
        advice = "name the folder, or the --store, that `autograder batch` was given"
        raise CallerFault(f"holds no {FILE}", where=str(out), advice=advice)
    with opened(out, store) as found:
        yield found


def class_name(out: Path, store: str) -> str:
    """What a class is called in its store: in one that many share, by its folder."""
    return str(out.resolve()) if store else ""


def find_class(store: Store, out: Path, url: str, assignment: str = "") -> Batch:
    """The class that was graded into a folder.

    Raises:
        CallerFault: none was.
    """
    batch = store.classes.batch(class_name(out, url), assignment)
    if batch is None:
        what = f"nothing of {assignment} was graded into it" if assignment else "nothing was graded into it"
        raise CallerFault(
            what, where=str(out), advice="name the folder and the store that `autograder batch` was given"
        )
    return batch


def _noted(shown: Iterator[Shown], summary: BatchSummary) -> Iterator[ScoreReport]:
    """The reports of a class on their way into the gradebook, with a count of those by earlier rules."""
    for one in shown:
        summary.outdated += not one.current
        yield one.report


def _at(member: Member, entry: Entry | None) -> Member:
    """A member of the class where it is now."""
    if entry is None:
        return member
    return replace(member, path=entry.path, problem=entry.problem)


def _above(entries: list[Entry]) -> Path:
    return entries[0].path.parent if entries else Path()
