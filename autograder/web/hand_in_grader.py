"""Grade the hand-ins to one assignment as a batch grades a class, try regrades, and look for repairs."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count

from autograder.batch.assignment_changes import digest_assignment_parts
from autograder.batch.batch_coordinator import BatchConfig, BatchCoordinator
from autograder.batch.batch_location import BatchLocation
from autograder.batch.batch_run import run_regrade
from autograder.batch.class_explanations import ClassExplanations
from autograder.batch.mark_changes import (
    RegradedReportPair,
    SubmissionMarkComparison,
    compare_final_marks,
    format_mark_change_line,
    iterate_mark_change_reasons,
)
from autograder.batch.output_files import StudentResultFilesWriter
from autograder.batch.personalized_reports import iterate_entry_results, load_report_context
from autograder.course import Assignment
from autograder.files import write_file_atomically
from autograder.lateness import SubmissionTime
from autograder.sandbox import SandboxConfig
from autograder.store.results.graded_class_table import StoredGradedClass, StoredSubmissionEntry
from autograder.store.results.result_model import PackedResult, compute_submission_digests, unpack_report
from autograder.submissions import Person, SubmissionEntry, SubmissionOrigin
from autograder.submissions.origin import TOGETHER
from autograder.text import escape_for_display
from autograder.web.results import get_graded_file_name
from autograder.web.store.hand_ins import HandIn
from autograder.web.store.server_store import ServerStore
from autograder.web.store.staff_actions import HandInTrialOutcome
from autograder.workers.grading_tasks import GradingExecutor, GradingTask, GradingTaskResult
from autograder.workers.grading_worker import grade_task
from autograder.workers.local_workers import open_local_workers
from autograder.workers.task_scheduler import run_tasks

log = logging.getLogger("autograder.worker")


class HandInExplainer:
    """Explains the hand-ins to one assignment; nobody waits for it.

    Attributes:
        explanations: the hand-ins that have their marks, and wait for their repairs.
    """

    def __init__(
        self,
        store: ServerStore,
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


TURN = 8
"""How many hand-ins are claimed between two checks of whether the turn is over."""


@dataclass
class AssignmentHandInGrader:
    """Grades the hand-ins to one assignment, in processes that start when there is work.

    Attributes:
        store: holds the hand-ins, and takes the results.
        location: where the store and the files of the class are.
        stored_class: the class that each hand-in becomes an entry of.
        assignment: the assignment.
        sandbox: where the hand-ins run.
        worker: the name under which hand-ins are claimed.
        process_count: how many processes grade at once; one per processor when None.
        stop: an event; once it is set, no further hand-in is claimed.
    """

    store: ServerStore
    location: BatchLocation
    stored_class: StoredGradedClass
    assignment: Assignment
    sandbox: SandboxConfig
    worker: str
    process_count: int | None
    stop: threading.Event
    _claimed_by_submission: dict[str, HandIn] = field(default_factory=dict)
    _resources: ExitStack = field(default_factory=ExitStack)

    @cached_property
    def worker_pool(self) -> GradingExecutor:
        """Return the processes; they start when there is work."""
        return self._resources.enter_context(open_local_workers(self.assignment, self.sandbox, self.process_count))

    @cached_property
    def explainer(self) -> HandInExplainer | None:
        """Return what looks for repairs; None if the course wants none."""
        if not self.assignment.feedback.repair_candidates:
            return None
        writer = self._make_dry_run_writer()
        explainer = HandInExplainer(
            self.store, self.stored_class, self.assignment, self.sandbox, lambda: self.worker_pool, writer
        )
        self._resources.callback(explainer.close)
        return explainer

    @cached_property
    def _assignment_parts(self) -> dict[str, str]:
        return digest_assignment_parts(self.assignment)

    def close(self) -> None:
        """End the processes."""
        self._resources.close()

    def grade_queued_hand_ins(self, is_turn_over: Callable[[], bool]) -> None:
        """Grade until the next queued hand-in is to another assignment, the queue is empty, or the turn ends.

        Args:
            is_turn_over: called after every ``TURN`` hand-ins; True ends the turn.

        Raises:
            CourseFault: the hidden suite cannot be used.
            KitFault: the machine fails.
        """
        config = self._make_config(self._record_outcome)
        coordinator = BatchCoordinator(
            config,
            self.store,
            self.stored_class,
            self._make_dry_run_writer(),
            explanations=self.explainer.explanations if self.explainer else None,
        )
        self._claimed_by_submission.clear()  # those that an earlier round did not finish wait again
        tasks = self._commit_each(coordinator.iterate_tasks_and_settle_rest(self._claim_entries(is_turn_over)))
        for task_result in run_tasks(tasks, lambda: nullcontext(self.worker_pool)):
            coordinator.record_task_result(task_result)
            self.store.commit()

    def preview_regrade(self, hand_ins: Sequence[HandIn]) -> list[HandInTrialOutcome]:
        """Grade hand-ins again without saving anything, and return how each mark would change, or what failed.

        Raises:
            CourseFault: the hidden suite cannot be used.
            KitFault: the machine fails.
        """
        pairs: list[RegradedReportPair] = []
        task_results: list[GradingTaskResult] = []
        config = self._make_config(task_results.append, pairs.append)
        entries = [SubmissionEntry(hand_in.submission, self._write_entry(hand_in).path) for hand_in in hand_ins]
        run_regrade(config, entries, dry_run=True, only_submissions={entry.name for entry in entries})
        changes = {pair.submission_name: compare_final_marks(pair) for pair in pairs}
        failures = {result.name: result.kit_failure for result in task_results}
        return [
            _make_outcome(hand_in, changes.get(hand_in.submission), failures.get(hand_in.submission, ""))
            for hand_in in hand_ins
        ]

    def add_result_from_elsewhere(self, hand_in: HandIn, packed_result: PackedResult) -> None:
        """Save the result of an equal file as that of a hand-in, which nobody needs to grade then."""
        classes, entry = self.store.classes, self._write_entry(hand_in)
        report = unpack_report(packed_result.packed_report)
        digests = compute_submission_digests(entry.path, "", hand_in.size)
        with self.store.group():
            classes.add_entry_or_update_path(self.stored_class, entry)
            classes.record_submission_digests(self.stored_class, entry.name, digests)
            row = self.store.results.save_result_unless_final(
                digests, self.stored_class.rules, self._assignment_parts, report, packed_result
            )
            if row is not None:
                classes.record_counted_result(self.stored_class, entry.name, row)
            self.store.grading_queue.record_outcome(hand_in)

    def _make_config(
        self,
        on_result: Callable[[GradingTaskResult], None],
        on_regraded: Callable[[RegradedReportPair], None] = lambda pair: None,
    ) -> BatchConfig:
        return BatchConfig(
            self.assignment,
            self.sandbox,
            self.location,
            lambda assignment, sandbox: nullcontext(self.worker_pool),
            on_result,
            on_regraded,
        )

    def _make_dry_run_writer(self) -> StudentResultFilesWriter:
        context = load_report_context(self.store, self.stored_class, self.assignment.deadline_rules, entries=())
        return StudentResultFilesWriter(self.location.output_folder, [], context, dry_run=True)

    def _commit_each(self, tasks: Iterator[GradingTask]) -> Iterator[GradingTask]:
        """Yield tasks, and commit before each one.

        A batch may keep a transaction open while it grades. Here students hand in at the same time, and SQLite allows
        one writer at a time.
        """
        for task in tasks:
            self.store.commit()
            yield task

    def _claim_entries(self, is_turn_over: Callable[[], bool]) -> Iterator[StoredSubmissionEntry]:
        """Claim hand-ins and yield them as entries of the class, each when a process asks for work."""
        course = self.location.class_key_in_store
        for number in count():
            if self.stop.is_set() or (number and number % TURN == 0 and is_turn_over()):
                return
            hand_in = self.store.grading_queue.try_claim_next_hand_in(course, self.worker, self.assignment.name)
            if hand_in is None:
                return
            self._claimed_by_submission[hand_in.submission] = hand_in
            entry = self._write_entry(hand_in)
            self.store.classes.add_entry_or_update_path(self.stored_class, entry)
            log.info("%s: %s", self.assignment.name, hand_in.submission)
            yield entry

    def _write_entry(self, hand_in: HandIn) -> StoredSubmissionEntry:
        """Write the file of a hand-in, and return its entry in the class."""
        path = self.stored_class.submissions_path / get_graded_file_name(hand_in)
        write_file_atomically(path, self.store.hand_ins.load_content(hand_in))
        logins = hand_in.owner.split(TOGETHER)
        submission_time = SubmissionTime(hand_in.owner, hand_in.handed_in, tuple((login,) for login in logins))
        origin = SubmissionOrigin("", tuple(map(self._make_person, logins)), attempt=str(hand_in.attempt))
        return StoredSubmissionEntry(hand_in.submission, path, submission_time=submission_time, origin=origin)

    def _make_person(self, login: str) -> Person:
        """Return a student's name, login and e-mail address, by which platforms' gradebooks may list them."""
        enrolment = self.store.accounts.find_enrolment(self.location.class_key_in_store, login)
        return Person(name=enrolment.name if enrolment else "", email=login if "@" in login else "", login=login)

    def _record_outcome(self, task_result: GradingTaskResult) -> None:
        """Record a hand-in as graded or failed, in the transaction that saves its result."""
        self.store.grading_queue.record_outcome(
            self._claimed_by_submission.pop(task_result.name), task_result.kit_failure
        )
        if task_result.course_problem:
            log.warning("%s: %s", self.assignment.name, escape_for_display(task_result.course_problem, 1000))
        outcome = task_result.kit_failure or f"{task_result.seconds:.1f} s"
        log.info("%s: %s %s", self.assignment.name, task_result.name, outcome)


def _make_outcome(hand_in: HandIn, change: SubmissionMarkComparison | None, failure: str) -> HandInTrialOutcome:
    if failure:
        return HandInTrialOutcome(hand_in, "failed", lines=(failure,))
    if change is None or change.before == change.after:
        return HandInTrialOutcome(hand_in, "tried")
    lines = (format_mark_change_line(change), *iterate_mark_change_reasons(change))
    return HandInTrialOutcome(hand_in, "tried", change.difference, change.has_lower_points_or_bonus, lines)
