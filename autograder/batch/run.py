"""A batch: entries in, reports and a gradebook out; what is done already is not done again."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path

from autograder import __version__
from autograder.batch.gradebook import write_gradebook
from autograder.batch.names import file_names
from autograder.batch.work import Done, OpenWorkers, Task, Workers, unpack, unpack_raw
from autograder.batch.worker import grade_task, local_workers
from autograder.course import Assignment
from autograder.diagnosis.observations import state_in_use
from autograder.faults import CallerFault, KitFault
from autograder.reports import ScoreReport, read_report, write_report
from autograder.reports.write import write_raw
from autograder.sandbox import Sandbox
from autograder.submissions import Entry
from autograder.submissions.files import SOURCE_SUFFIXES
from autograder.submissions.fingerprint import fingerprint
from autograder.text import clean

Progress = Callable[[Done | None], None]
"""Told of each submission: what came of it, or None when its report was there already."""


@dataclass(slots=True)
class BatchSummary:
    """A batch in numbers."""

    submissions: int = 0
    reused: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    failures: list[Done] = field(default_factory=list)
    grader_errors: int = 0
    scores: Counter[float] = field(default_factory=Counter)
    seconds: float = 0.0

    @property
    def graded(self) -> int:
        """Submissions with a report."""
        return self.submissions - len(self.failures)

    @property
    def mean(self) -> float:
        """Mean score of those with a report."""
        return sum(score * count for score, count in self.scores.items()) / max(1, self.graded)


def run_batch(
    entries: list[Entry],
    assignment: Assignment,
    sandbox: Sandbox,
    out: Path,
    *,
    workers: int | None = None,
    open_workers: OpenWorkers | None = None,
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
    stale = (
        task
        for task in tasks
        if not _is_current(task, places[task.name].report, assignment, sandbox, known, progress, summary)
    )
    start = open_workers or partial(local_workers, count=workers)
    for done in _graded(stale, assignment, sandbox, start):
        _keep(done, places[done.name])
        if done.failure:
            summary.failures.append(replace(done, report=b"", raw=b""))
        summary.grader_errors += done.grader_errors
        progress(done)
    failed = {done.name for done in summary.failures}
    reports = (read_report(places[task.name].report) for task in tasks if task.name not in failed)
    write_gradebook(_counted(reports, summary), assignment, out / "gradebook.csv")
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
    progress: Progress,
    summary: BatchSummary,
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
        summary.reused += 1
        progress(None)
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


def _counted(reports: Iterable[ScoreReport], summary: BatchSummary) -> Iterator[ScoreReport]:
    for report in reports:
        summary.statuses[report.status.outcome] += 1
        summary.scores[report.score] += 1
        yield report


def _writable(out: Path) -> None:
    try:
        (out / "reports").mkdir(parents=True, exist_ok=True)
        (out / "raw").mkdir(exist_ok=True)
    except OSError as error:
        raise CallerFault(
            f"cannot be written: {error.strerror}", where=str(out), advice="name another folder with --out"
        ) from error
