"""A batch: entries in, reports and a gradebook out; what is done already is not done again."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path

from autograder import __version__
from autograder.batch.gradebook import write_gradebook
from autograder.batch.names import file_names
from autograder.batch.summary import BatchSummary
from autograder.batch.work import Done, OpenWorkers, Task, Workers, done_with, unpack, unpack_raw
from autograder.batch.worker import grade_task, local_workers
from autograder.course import Assignment
from autograder.diagnosis.observations import state_in_use
from autograder.faults import CallerFault, KitFault
from autograder.lateness import HandIns, with_lateness
from autograder.reports import ScoreReport, read_report, write_report
from autograder.reports.write import write_raw
from autograder.sandbox import Sandbox
from autograder.submissions import Entry
from autograder.submissions.files import SOURCE_SUFFIXES
from autograder.submissions.fingerprint import fingerprint
from autograder.text import clean

Progress = Callable[[Done], None]
"""Told of each submission once: what came of it, now or before."""


def run_batch(
    entries: list[Entry],
    assignment: Assignment,
    sandbox: Sandbox,
    out: Path,
    *,
    workers: int | None = None,
    open_workers: OpenWorkers | None = None,
    hand_ins: HandIns | None = None,
    progress: Progress = lambda done: None,
) -> BatchSummary:
    """Grade every entry that has no report yet, or whose report is out of date.

    Args:
        entries: what to grade.
        assignment: of which assignment.
        sandbox: where the students' code runs.
        out: gets ``reports/``, ``raw/`` and ``gradebook.csv``.
        workers: processes at once; as many as there are processors when None.
        open_workers: where to grade; processes on this machine when None.
        hand_ins: who handed in what, and when; without it, nothing is late.
        progress: told of every entry once.

    Raises:
        CallerFault: ``out`` cannot be written.
        CourseFault: the assignment cannot be used.
    """
    started = time.monotonic()
    summary = BatchSummary(submissions=len(entries))
    own = {os.path.realpath(out / name) for name in ("", "reports", "raw", "gradebook.csv")}
    entries = [entry for entry in entries if os.path.realpath(entry.path) not in own]
    summary.submissions = len(entries)
    names = file_names(entries)
    tasks = [Task(entry.name, entry.path, entry.problem) for entry in entries]
    places = {
        name: Places(out / "reports" / f"{file}.json", out / "raw" / f"{file}.json") for name, file in names.items()
    }
    _writable(out)
    known = state_in_use(assignment)

    def told(done: Done) -> None:
        summary.add(done)
        progress(done)

    stale = (
        task for task in tasks if not _is_current(task, places[task.name].report, assignment, sandbox, known, told)
    )
    start = open_workers or partial(local_workers, count=workers)
    for done in _graded(stale, assignment, sandbox, start):
        _keep(done, places[done.name])
        told(done)
    failed = {done.name for done in summary.failures}
    reports = (_view(places[task.name].report, assignment, hand_ins) for task in tasks if task.name not in failed)
    write_gradebook(summary.late_ones(reports, hand_ins), assignment, out / "gradebook.csv", hand_ins)
    summary.seconds = time.monotonic() - started
    return summary


@dataclass(frozen=True, slots=True)
class Places:
    """Where the report and the raw record of one submission go."""

    report: Path
    raw: Path


def _keep(done: Done, places: Places) -> None:
    if done.failure:
        return
    raw = unpack_raw(done.raw)
    if raw:
        write_raw(raw, places.raw)
    else:
        places.raw.unlink(missing_ok=True)  # an earlier hand-in's says nothing about this one
    write_report(unpack(done.report), places.report)


def _is_current(
    task: Task,
    place: Path,
    assignment: Assignment,
    sandbox: Sandbox,
    known: str,
    told: Progress,
) -> bool:
    """Whether a task's report is there, and what determines it is what it was."""
    if task.problem or not place.is_file():
        return False
    try:
        report = read_report(place)
        same = (
            report.kit_version == __version__
            and report.assignment.name == assignment.name
            and report.assignment.version == assignment.version
            and report.isolation.tier == sandbox.tier
            and (report.diagnosis.verdict == "none" or report.diagnosis.compared_with == known)
            and not any(test.outcome == "grader error" for test in report.tests)
            and (task.path.suffix not in SOURCE_SUFFIXES or report.submission.files == [clean(task.path.name, 200)])
            and report.submission.sha256 == fingerprint(task.path, assignment.limits.submission_mb * 2**20)
        )
    except CallerFault:
        return False
    if same:
        told(replace(done_with(report, _seconds(report), reused=True), name=task.name))
    return same


def _graded(
    tasks: Iterator[Task], assignment: Assignment, sandbox: Sandbox, open_workers: OpenWorkers
) -> Iterator[Done]:
    """Grade tasks as they come; a few at a time are under way."""
    first = next(tasks, None)
    if first is None:
        return
    try:
        with open_workers(assignment, sandbox) as workers:
            yield from _through(workers, chain([first], tasks))
    except BrokenProcessPool as error:
        raise KitFault(
            "a worker process ended", advice="run the same command again: what is done stays done"
        ) from error


def _through(workers: Workers, tasks: Iterator[Task]) -> Iterator[Done]:
    """Results as they come, with no more tasks handed out than the workers ask for."""
    pending: set[Future[Done]] = set()
    while True:
        more = islice(tasks, max(0, workers.at_once() - len(pending)))
        pending |= {workers.executor.submit(grade_task, task) for task in more}
        if not pending:
            return
        finished, pending = wait(pending, return_when=FIRST_COMPLETED)
        for future in finished:
            yield future.result()


def _seconds(report: ScoreReport) -> float:
    """What it took to grade a submission, when that was done."""
    return report.timing.seconds.get("total", 0.0) + report.timing.seconds.get("diagnosis", 0.0)


def _view(place: Path, assignment: Assignment, hand_ins: HandIns | None) -> ScoreReport:
    """A report as it is shown; written again where that is not what stands there."""
    report = read_report(place)
    lateness = hand_ins.lateness(report.submission.id, assignment.due) if hand_ins else None
    view = with_lateness(report, lateness)
    if view != report:
        write_report(view, place)
    return view


def _writable(out: Path) -> None:
    try:
        (out / "reports").mkdir(parents=True, exist_ok=True)
        (out / "raw").mkdir(exist_ok=True)
    except OSError as error:
        raise CallerFault(
            f"cannot be written: {error.strerror}", where=str(out), advice="name another folder with --out"
        ) from error
