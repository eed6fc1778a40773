"""Do the work of a worker process: open the suite once, and grade each task."""

from __future__ import annotations

import functools
import gc
import os
import time
from dataclasses import replace

from autograder.batch.tasks import GradingTask, TaskResult, make_task_result
from autograder.course import Assignment
from autograder.diagnosis.diagnoser import Diagnoser, diagnose_and_time
from autograder.faults import KitFault
from autograder.grading import Grader
from autograder.reports import ScoreReport, make_score_report
from autograder.sandbox import Sandbox
from autograder.store.regrade import EarlierResult, regrade_submission
from autograder.store.result_record import ResultRecord, make_regrade_data, make_result_record
from autograder.submissions import Submission, UnreadableSubmission
from autograder.submissions.read_submission import collect_files, read_collected_files

_grader: Grader | None = None


def initialize_worker(assignment: Assignment, sandbox: Sandbox, processor: int | None = None) -> None:
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


def get_opened_grader() -> Grader:
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
    return Diagnoser(get_opened_grader())


def _result(grader: Grader, task: GradingTask) -> tuple[ScoreReport, ResultRecord]:
    """Grade one submission; if it was graded before, do only the work that is left."""
    again = _result_again(grader, task, task.earlier) if task.earlier else None
    if again:
        return again
    started = time.perf_counter()
    try:
        graded = grader.grade_submission(_read(grader, task), started)
    except UnreadableSubmission as error:
        graded = grader.make_ungradable_result(task.name, error, started)
    report = make_score_report(graded, grader.assignment, *diagnose_and_time(_diagnoser(), graded))
    return report, make_result_record(report, graded.raw, make_regrade_data(graded))


def _result_again(
    grader: Grader, task: GradingTask, earlier: EarlierResult
) -> tuple[ScoreReport, ResultRecord] | None:
    try:
        return regrade_submission(grader, _diagnoser(), _read(grader, task), earlier)
    except UnreadableSubmission:
        return None


def _read(grader: Grader, task: GradingTask) -> Submission:
    if task.problem:
        raise UnreadableSubmission("bad-zip", task.problem)
    if isinstance(task.collected, UnreadableSubmission):
        raise task.collected
    limit = grader.assignment.limits.submission_mb * 2**20
    return read_collected_files(task.collected or collect_files(task.path, limit), grader.assignment, task.name)


def grade_task(task: GradingTask) -> TaskResult:
    """Grade one submission.

    Raises:
        KitFault: this process was not opened.
    """
    grader = get_opened_grader()
    started = time.monotonic()
    try:
        report, record = _result(grader, task)
    except KitFault:
        try:
            report, record = _result(grader, task)  # once more: a full process table empties again
        except KitFault as fault:
            return TaskResult(task.name, failure=str(fault), seconds=time.monotonic() - started)
    return replace(make_task_result(report, time.monotonic() - started), name=task.name, record=record)
