"""Run in a worker process: open the suite once, and grade each task."""

from __future__ import annotations

import functools
import gc
import os
import time
from dataclasses import replace

from autograder.course import Assignment
from autograder.diagnosis.diagnoser import SubmissionDiagnoser, diagnose_with_duration
from autograder.diagnosis.naming import add_repair
from autograder.faults import KitFault
from autograder.grading import Grader
from autograder.repair.model import NO_REPAIR
from autograder.repair.search import find_repair
from autograder.repair.sharing import fit_shared_repair, hash_program, share_repair
from autograder.reports import ScoreReport, make_score_report
from autograder.reports.score_report_maker import escape_repair
from autograder.sandbox import SandboxConfig
from autograder.store.results.result_model import pack_anonymous_result, unpack_report
from autograder.submissions import Submission, UngradableSubmission
from autograder.submissions.submission_files import read_raw_submission
from autograder.submissions.submission_reading import read_gradable_submission
from autograder.workers.grading_tasks import GradingTask, GradingTaskResult, make_task_result

CHANGED = "the submission changed after it was graded"
_grader: Grader | None = None


def initialize_worker(assignment: Assignment, sandbox: SandboxConfig, pinned_processor: int | None = None) -> None:
    """Prepare this process to grade. Call this once, before the first task.

    Args:
        assignment: the assignment that is graded.
        sandbox: the sandbox of submissions.
        pinned_processor: the only processor of this process and its student processes; any when None.

    Raises:
        Fault: the suite cannot be used, or no student process can be started.
    """
    global _grader
    if pinned_processor is not None:
        os.sched_setaffinity(0, {pinned_processor})
    _grader = Grader(assignment, sandbox)
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)  # a submission leaves little garbage, and frequent collections cost more


def get_worker_grader() -> Grader:
    """Return this worker's grader, once ``initialize_worker`` was called.

    Raises:
        KitFault: this process was not initialized.
    """
    if _grader is None:
        raise KitFault("this worker process was not initialized")
    return _grader


@functools.cache
def _get_diagnoser() -> SubmissionDiagnoser:
    """Return this worker's diagnoser, which reads the misconceptions once."""
    return SubmissionDiagnoser(get_worker_grader())


def _read_submission(grader: Grader, task: GradingTask) -> Submission:
    if task.problem:
        raise UngradableSubmission("bad-zip", task.problem)
    if isinstance(task.raw_submission, UngradableSubmission):
        raise task.raw_submission
    limit = grader.assignment.limits.submission_mb * 2**20
    return read_gradable_submission(
        task.raw_submission or read_raw_submission(task.path, limit), grader.assignment, task.name
    )


def _explain(grader: Grader, task: GradingTask) -> GradingTaskResult:
    """Look for the repair of a submission that has its marks."""
    start_time = time.monotonic()
    report = unpack_report(task.unexplained_report)
    outcomes = _map_outcomes(report)
    try:
        submission = _read_submission(grader, task)
        if submission.sha256 != report.submission.sha256:
            return GradingTaskResult(task.name, kit_failure=CHANGED)
        program = grader.suite_runner.make_program(submission)
        known = task.known_repair
        repair = fit_shared_repair(grader, program, outcomes, known) if known else None
        repair = repair or find_repair(grader, program, outcomes, grader.assignment.feedback.repair_candidates)
        shared = share_repair(repair, program)
    except UngradableSubmission:
        repair, shared = NO_REPAIR, None
    except KitFault as fault:
        return GradingTaskResult(task.name, kit_failure=str(fault))
    seconds = time.monotonic() - start_time
    diagnosis = add_repair(report.diagnosis, escape_repair(repair), grader.assignment, grader.test_specs)
    return GradingTaskResult(task.name, seconds=seconds, explained=diagnosis, shared_repair=shared)


def _compute_program_key(grader: Grader, task: GradingTask, report: ScoreReport) -> str:
    """Return the key of a program whose repair is looked for later; empty if there is none."""
    if not report.diagnosis.repair_pending:
        return ""
    try:
        program = grader.suite_runner.make_program(_read_submission(grader, task))
    except UngradableSubmission:
        return ""
    return hash_program(program, _map_outcomes(report))


def _map_outcomes(report: ScoreReport) -> dict[str, str]:
    return {test.id: test.outcome for test in report.tests}


def grade_task(task: GradingTask) -> GradingTaskResult:
    """Grade one submission, or look for the repair of one that has its marks.

    Raises:
        KitFault: this process was not opened.
    """
    grader, diagnoser = get_worker_grader(), _get_diagnoser()
    if task.unexplained_report:
        return _explain(grader, task)
    start_time = time.perf_counter()
    try:
        try:
            graded_submission = grader.grade_submission(_read_submission(grader, task), start_time)
        except UngradableSubmission as error:
            graded_submission = grader.make_ungradable_result(task.name, error, start_time)
        diagnosis, seconds = diagnose_with_duration(diagnoser, graded_submission)
        if task.explains:
            diagnosis = diagnosis.await_repair()
        report = make_score_report(graded_submission, grader.assignment, diagnosis, seconds)
        packed_result = pack_anonymous_result(report, graded_submission.pytest_record)
    except KitFault as fault:
        return GradingTaskResult(task.name, kit_failure=str(fault), seconds=time.perf_counter() - start_time)
    result = make_task_result(task.name, report, time.perf_counter() - start_time, packed_result)
    return replace(
        result,
        course_problem=diagnoser.course_problem,
        program_key=_compute_program_key(grader, task, report),
    )
