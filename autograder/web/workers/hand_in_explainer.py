"""Look for the repairs of hand-ins in a process of its own, one after the other, while others are graded."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack

from autograder.batch.class_explanations import ClassExplanations
from autograder.batch.personalized_reports import iterate_entry_results
from autograder.batch.student_result_files import StudentResultFilesWriter
from autograder.course import Assignment
from autograder.sandbox import SandboxConfig
from autograder.store.results.graded_class_table import StoredGradedClass
from autograder.store.results.packed_result import unpack_report
from autograder.store.store import Store
from autograder.workers.grading_executor import GradingExecutor
from autograder.workers.grading_tasks import GradingTask, GradingTaskResult
from autograder.workers.grading_worker import grade_task
from autograder.workers.local_workers import open_local_workers

log = logging.getLogger("autograder.worker")


class HandInExplainer:
    """Explains the hand-ins to one assignment; nobody waits for it.

    Attributes:
        explanations: the hand-ins that have their marks, and wait for their repairs.
    """

    def __init__(
        self,
        store: Store,
        stored_class: StoredGradedClass,
        assignment: Assignment,
        sandbox: SandboxConfig,
        open_grading_pool: Callable[[], GradingExecutor],
        student_files_writer: StudentResultFilesWriter,
    ) -> None:
        """Begin with no hand-in, and with no process.

        Args:
            store: holds the results, and takes the repairs.
            stored_class: the class of the hand-ins.
            assignment: the assignment.
            sandbox: where the hand-ins run.
            open_grading_pool: returns the processes that grade, which serve here too where no two submissions may run
                at the same time.
            student_files_writer: writes no file.
        """
        self.explanations = ClassExplanations(store, stored_class, student_files_writer)
        self._store, self._stored_class = store, stored_class
        self._assignment, self._sandbox, self._open_grading_pool = assignment, sandbox, open_grading_pool
        self._resources = ExitStack()
        self._pool: GradingExecutor | None = None
        self._underway: tuple[GradingTask, Future[GradingTaskResult]] | None = None

    def add_unfinished(self) -> None:
        """Take the hand-ins whose repairs an earlier worker was going to look for."""
        for entry, found, is_current in iterate_entry_results(self._store, self._stored_class):
            if found is not None and is_current:
                report = unpack_report(found.packed_report)
                if report.diagnosis.repair_pending:
                    self.explanations.add_if_unexplained(entry, entry.submission_identity, report)

    def record_and_begin_next(self) -> bool:
        """Save the repair that was found, if there is one, and have the next looked for; return whether one was."""
        if self._underway is not None:
            task, future = self._underway
            if not future.done():
                return False
            self._underway = None
            self.explanations.record_task_result(_get_result(task, future), gives_up=True)
            self._store.commit()
            log.info("%s: %s explained", self._assignment.name, task.name)
            return True
        task_or_none = self.explanations.take_next_task()
        if task_or_none is None:
            self._end_process()
        else:
            self._underway = task_or_none, self._open_pool().executor.submit(grade_task, task_or_none)
        return False

    @property
    def is_busy(self) -> bool:
        """Return whether the repair of a hand-in is being looked for."""
        return self._underway is not None

    def close(self) -> None:
        """End the process, whatever it does; a later worker begins anew with the hand-in."""
        if self._pool is not None and self._sandbox.lets_processes_overlap:
            self._pool.executor.shutdown(wait=False, cancel_futures=True)
        self._end_process()

    def _open_pool(self) -> GradingExecutor:
        if not self._sandbox.lets_processes_overlap:
            return self._open_grading_pool()
        if self._pool is None:
            self._pool = self._resources.enter_context(open_local_workers(self._assignment, self._sandbox, 1))
        return self._pool

    def _end_process(self) -> None:
        self._pool = None
        self._resources.close()


def _get_result(task: GradingTask, future: Future[GradingTaskResult]) -> GradingTaskResult:
    """Return what came of a task; an error costs nothing but this repair."""
    error = future.exception()
    if error is None:
        return future.result()
    log.error("%s: no repair could be looked for", task.name, exc_info=error)
    return GradingTaskResult(task.name, kit_failure=f"{type(error).__name__}: {error}")
