"""Run one worker process: it opens the suite once and grades the tasks that it is handed."""

from __future__ import annotations

import ctypes
import functools
import gc
import multiprocessing
import os
import signal
import sys
import time
from dataclasses import replace
from multiprocessing.sharedctypes import Synchronized

from autograder.batch.work import Done, Task, done_with
from autograder.course import Assignment
from autograder.diagnosis.diagnose import Diagnoser, timed
from autograder.faults import Fault, KitFault
from autograder.grading import Graded, Grader
from autograder.reports import ScoreReport, report_of
from autograder.sandbox import Sandbox
from autograder.store.again import Earlier, regraded
from autograder.store.record import Record, kept_of, record_of
from autograder.submissions import Submission, Unreadable
from autograder.submissions.read import collect, read_collected

PR_SET_PDEATHSIG = 1
_grader: Grader | Fault | None = None


def open_worker(assignment: Assignment, sandbox: Sandbox, places: Synchronized[int] | None) -> None:
    """Get this process ready. Call this once, before the first task; a fault shows with that task.

    Args:
        assignment: the assignment that is graded.
        sandbox: how submissions are shut in.
        places: counts the workers, if each is to keep to one processor with its student processes. A worker and its
            student processes only ever wait for each other, and waking another processor takes longer than their
            messages do.
    """
    global _grader
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent stops us
    _end_with_parent()
    if places is not None:
        with places.get_lock():
            place, places.value = places.value, places.value + 1
        processors = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {processors[place % len(processors)]})
    try:
        _grader = Grader(assignment, sandbox)
    except Fault as fault:
        _grader = fault
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)  # what a submission leaves is small, and looking for it after 700 objects is not


def opened() -> Grader:
    """Return this worker's grader.

    Raises:
        Fault: the grader could not be opened.
    """
    if not isinstance(_grader, Grader):
        raise _grader or KitFault("a worker was not opened")
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
    graded = _graded(grader, task)
    report = report_of(graded, grader.assignment, *timed(_diagnoser(), graded))
    return report, record_of(report, graded.raw, kept_of(graded))


def _result_again(grader: Grader, task: Task, earlier: Earlier) -> tuple[ScoreReport, Record] | None:
    try:
        return regraded(grader, _diagnoser(), _read(grader, task), earlier)
    except Unreadable:
        return None


def _graded(grader: Grader, task: Task) -> Graded:
    started = time.perf_counter()
    try:
        return grader.grade_submission(_read(grader, task), started)
    except Unreadable as error:
        return grader.refuse(task.name, error, started)


def _read(grader: Grader, task: Task) -> Submission:
    if task.problem:
        raise Unreadable("bad-zip", task.problem)
    if isinstance(task.collected, Unreadable):
        raise task.collected
    limit = grader.assignment.limits.submission_mb * 2**20
    return read_collected(task.collected or collect(task.path, limit), grader.assignment, task.name)


def _end_with_parent() -> None:
    """Have this process end when its parent is killed, and its student processes with it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    parent = multiprocessing.parent_process()
    if parent is not None and not parent.is_alive():
        sys.exit(1)


def grade_task(task: Task) -> Done:
    """Grade one submission.

    Raises:
        Fault: this worker could not be opened.
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
