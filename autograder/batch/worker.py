"""Do the work of a worker process: open the suite once, and grade each task."""

from __future__ import annotations

import functools
import gc
import os
import time
from dataclasses import replace

from autograder.batch.work import Done, Task, done_with
from autograder.course import Assignment
from autograder.diagnosis.diagnose import Diagnoser, timed
from autograder.faults import KitFault
from autograder.grading import Grader
from autograder.reports import ScoreReport, report_of
from autograder.sandbox import Sandbox
from autograder.store.again import Earlier, regraded
from autograder.store.record import Record, kept_of, record_of
from autograder.submissions import Submission, Unreadable
from autograder.submissions.read import collect, read_collected

_grader: Grader | None = None


def open_worker(assignment: Assignment, sandbox: Sandbox, processor: int | None = None) -> None:
    """Get this process ready. Call this once, before the first task.

    Args:
        assignment: the assignment that is graded.
        sandbox: how submissions are shut in.
        processor: the one that this process and its student processes keep to; any when None.

    Raises:
        Fault: the suite cannot be used, or no student process can be started.
    """
    global _grader
    if processor is not None:
        os.sched_setaffinity(0, {processor})
    _grader = Grader(assignment, sandbox)
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)  # what a submission leaves is small, and looking for it after 700 objects is not


def opened() -> Grader:
    """Return this worker's grader.

    Raises:
        KitFault: this process was not opened.
    """
    if _grader is None:
        raise KitFault("a worker was not opened")
    return _grader


@functools.cache
def _diagnoser() -> Diagnoser:
    """Return this worker's diagnoser, which reads the misconceptions once."""
    return Diagnoser(opened())


def _result(grader: Grader, task: Task) -> tuple[ScoreReport, Record]:
    """Grade one submission; if it was graded before, do only the work that is left."""
    again = _result_again(grader, task, task.earlier) if task.earlier else None
    if again:
        return again
    started = time.perf_counter()
    try:
        graded = grader.grade_submission(_read(grader, task), started)
    except Unreadable as error:
        graded = grader.refuse(task.name, error, started)
    report = report_of(graded, grader.assignment, *timed(_diagnoser(), graded))
    return report, record_of(report, graded.raw, kept_of(graded))


def _result_again(grader: Grader, task: Task, earlier: Earlier) -> tuple[ScoreReport, Record] | None:
    try:
        return regraded(grader, _diagnoser(), _read(grader, task), earlier)
    except Unreadable:
        return None


def _read(grader: Grader, task: Task) -> Submission:
    if task.problem:
        raise Unreadable("bad-zip", task.problem)
    if isinstance(task.collected, Unreadable):
        raise task.collected
    limit = grader.assignment.limits.submission_mb * 2**20
    return read_collected(task.collected or collect(task.path, limit), grader.assignment, task.name)


def grade_task(task: Task) -> Done:
    """Grade one submission.

    Raises:
        KitFault: this process was not opened.
    """
    grader = opened()
    started = time.monotonic()
    try:
        report, record = _result(grader, task)
    except KitFault:
        try:
            report, record = _result(grader, task)  # once more: a full process table empties again
        except KitFault as fault:
            return Done(task.name, failure=str(fault), seconds=time.monotonic() - started)
    return replace(done_with(report, time.monotonic() - started), name=task.name, record=record)
