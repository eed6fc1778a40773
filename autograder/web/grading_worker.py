"""Grade what was handed in to several courses, in turns, with the rows of the store as the queue."""

from __future__ import annotations

import logging
import platform
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from autograder.batch.batch_location import HANDED_IN
from autograder.batch.mark_changes import record_deadline_changes
from autograder.course import Assignment, Course
from autograder.faults import CourseFault, Fault
from autograder.files import Readers, override_output_file_readers
from autograder.kit_version import get_kit_version_with_code_digest
from autograder.sandbox import SandboxConfig
from autograder.store.results.graded_class_table import StoredGradedClass
from autograder.store.results.result_model import make_grading_rules
from autograder.web.hand_in_grader import AssignmentHandInGrader
from autograder.web.mail import QueuedMailSender
from autograder.web.settings import CourseServerSettings
from autograder.web.store.hand_ins import LEASE
from autograder.web.store.server_store import ServerStore, open_server_store
from autograder.web.store.staff_actions import HandInTrialOutcome

TRIAL_STEP = 8
"""How many hand-ins of a regrade trial are graded before the worker looks for new hand-ins again."""
FAULT_SECONDS = 5.0
log = logging.getLogger("autograder.worker")


@dataclass
class CourseHandInWorker:
    """Grades the hand-ins of one course, in turn with those of other courses.

    Attributes:
        settings: the server's settings.
        open_sandbox: opens the sandbox of an assignment.
        name: names this worker among others on the same store; a later one of the same name takes over.
        count: how many processes grade at once; one per processor when None.
        stop: an event that ends the worker after its current work.
        readers: who may read the files of the course.
        store: holds what was handed in; open while the worker is open for grading.
    """

    settings: CourseServerSettings
    open_sandbox: Callable[[Assignment], SandboxConfig]
    name: str
    count: int | None = None
    stop: threading.Event = field(default_factory=threading.Event)
    readers: Readers = field(init=False, default="owner")
    store: ServerStore = field(init=False)
    _grader_by_assignment: dict[str, AssignmentHandInGrader] = field(default_factory=dict)
    _knows_unexplained: bool = False
    _pause_ends_at: float = 0.0

    @contextmanager
    def open_for_grading(self) -> Iterator[None]:
        """Open the store and the sandboxes, release earlier claims, and start the threads for leases and mails.

        Raises:
            CourseFault: the course does not hold together.
            CallerFault: the store cannot be opened, or no sandbox is accepted.
        """
        with open_server_store(self.settings.location) as store, ExitStack() as resources:
            self.store = store
            store.grading_queue.expire_leases_of_worker(self.name)
            course = self._load_course(store)
            self.readers = course.staff_file_settings.readable_by
            sandboxes = [(assignment, self.open_sandbox(assignment)) for assignment in course.assignments]
            for assignment, sandbox in sandboxes:
                self._record_class(assignment, sandbox)
            store.workers.record_start(
                self.course_key_in_store,
                self.name,
                ", ".join(sorted({sandbox.tier for _, sandbox in sandboxes})),
                get_kit_version_with_code_digest(),
                platform.python_version(),
            )
            resources.callback(self.stop.set)
            threading.Thread(target=self._keep_leases, daemon=True).start()
            if self.settings.mail_server:
                sender = QueuedMailSender(self.settings, self.settings.mail_server, self.stop)
                threading.Thread(target=sender.run, daemon=True).start()
            resources.callback(self._close_graders)
            yield
            store.workers.record_end(self.course_key_in_store, self.name)

    def has_waiting_hand_in(self) -> bool:
        """Return whether a hand-in waits for a worker."""
        return bool(self.store.grading_queue.get_next_assignment(self.course_key_in_store))

    def grade_next_hand_ins(self, is_turn_over: Callable[[], bool]) -> bool:
        """Grade hand-ins to the next assignment in the queue, or else a few hand-ins of a regrade trial.

        While nothing waits, repairs are looked for, in processes beside those that grade.

        Args:
            is_turn_over: called after every few hand-ins; True if another course waits for the processors.

        Returns:
            Whether there was anything to do.
        """
        name = self.store.grading_queue.get_next_assignment(self.course_key_in_store)
        if not name:
            return self._try_regrade() or self._explain()
        try:
            self._open_grader(name).grade_queued_hand_ins(is_turn_over)
        except Fault as fault:  # not caused by a hand-in, such as a course that is being edited
            log.error("%s", fault)
            self.store.grading_queue.requeue_claims_without_counting_try(self.name)
            self.store.faults.record_fault(self.course_key_in_store, f"worker {self.name}", str(fault))
            self._pause_ends_at = time.monotonic() + FAULT_SECONDS
        return True

    @property
    def is_pausing_after_fault(self) -> bool:
        """Return whether the worker pauses before it tries again after a fault."""
        return time.monotonic() < self._pause_ends_at

    @property
    def course_key_in_store(self) -> str:
        """Return the key of the course in the store."""
        return self.settings.location.class_key_in_store

    def _load_course(self, store: ServerStore) -> Course:
        return store.settings.load_course(self.settings.course, self.course_key_in_store)

    def _open_grader(self, assignment_name: str) -> AssignmentHandInGrader:
        """Return the grader of an assignment; make a new one if the assignment changed or its class was erased."""
        assignment = self._load_course(self.store).find_assignment(assignment_name)
        if assignment is None:
            raise CourseFault(
                f"the course no longer has the assignment '{assignment_name}', so its hand-ins wait",
                advice="put it back into grading.yml",
            )
        graders = self._grader_by_assignment
        if assignment_name in graders and not self._is_up_to_date(graders[assignment_name], assignment):
            graders.pop(assignment_name).close()
            self._knows_unexplained = False
        if assignment_name not in graders:
            sandbox = self.open_sandbox(assignment)
            stored_class, location = self._record_class(assignment, sandbox), self.settings.location
            graders[assignment_name] = AssignmentHandInGrader(
                self.store, location, stored_class, assignment, sandbox, self.name, self.count, self.stop
            )
        return graders[assignment_name]

    def _is_up_to_date(self, grader: AssignmentHandInGrader, assignment: Assignment) -> bool:
        stored_class = self.store.classes.find_last_graded_class(self.course_key_in_store, assignment.name)
        is_class_stored = stored_class is not None and stored_class.id == grader.stored_class.id
        return grader.assignment == assignment and is_class_stored

    def _try_regrade(self) -> bool:
        """Grade the next few hand-ins of the oldest unfinished regrade trial; return False if there is none."""
        store = self.store
        trial = store.regrade_trials.find_oldest_unfinished_trial(self.course_key_in_store)
        if trial is None:
            return False
        waiting = store.regrade_trials.list_hand_in_outcomes(trial, "waiting", TRIAL_STEP)
        hand_ins = [outcome.hand_in for outcome in waiting]
        try:
            outcomes = self._open_grader(trial.assignment).preview_regrade(hand_ins)
        except Fault as fault:  # recorded as the outcome, so that the trial ends and its page shows the reason
            log.error("%s", fault)
            outcomes = [HandInTrialOutcome(hand_in, "failed", lines=(str(fault),)) for hand_in in hand_ins]
        store.regrade_trials.record_outcomes(trial, outcomes)
        return True

    def _explain(self) -> bool:
        """Have the repair of one hand-in looked for; return whether one was recorded."""
        try:
            if not self._knows_unexplained:
                self._knows_unexplained = True
                self._add_unexplained_hand_ins()
            for grader in self._grader_by_assignment.values():
                if grader.explainer and grader.explainer.record_and_begin_next():
                    return True
                if grader.explainer and grader.explainer.is_busy:
                    return False
        except Fault as fault:  # marks do not depend on it
            log.error("%s", fault)
        return False

    def _add_unexplained_hand_ins(self) -> None:
        """Take the hand-ins that a worker which ended was going to explain."""
        for assignment in self._load_course(self.store).assignments:
            if explainer := self._open_grader(assignment.name).explainer:
                explainer.add_unfinished()

    def _record_class(self, assignment: Assignment, sandbox: SandboxConfig) -> StoredGradedClass:
        folder = self.settings.location.output_folder / HANDED_IN / assignment.name
        rules = make_grading_rules(assignment, sandbox.tier)
        record_deadline_changes(self.store, self.course_key_in_store, assignment)
        stored_class = self.store.classes.update_or_create_class(self.course_key_in_store, folder, rules)
        record_deadline_changes(self.store, self.course_key_in_store, assignment)
        return stored_class

    def _keep_leases(self) -> None:
        """Extend this worker's leases periodically, on its own connections: a connection belongs to one thread.

        Changed deadlines of ``grading.yml`` are recorded without waiting for a hand-in, so that pages show new marks.
        """
        while not self.stop.wait(LEASE.total_seconds() / 4):
            try:
                with open_server_store(self.settings.location) as store:
                    store.grading_queue.extend_leases(self.name)
                    store.workers.record_heartbeat(self.course_key_in_store, self.name)
                    for assignment in self._load_course(store).assignments:
                        record_deadline_changes(store, self.course_key_in_store, assignment)
            except Fault as fault:
                log.error("%s", fault)

    def _close_graders(self) -> None:
        for grader in self._grader_by_assignment.values():
            grader.close()


POLL_SECONDS = 0.3


def grade_courses_in_turns(workers: Sequence[CourseHandInWorker], stop: threading.Event) -> None:
    """Grade until ``stop`` is set.

    A course whose grading fails pauses for a moment while the others go on, and is then tried again.

    Args:
        workers: one for each course.
        stop: set to end after what is being graded.

    Raises:
        CourseFault: a course does not hold together.
        CallerFault: a store cannot be opened, or no sandbox is accepted.
    """
    with ExitStack() as resources:
        for worker in workers:
            resources.enter_context(worker.open_for_grading())
        while not stop.is_set():
            had_work = [_take_turn(worker, workers, stop) for worker in workers]
            if not any(had_work):
                for worker in workers:
                    worker.store.commit()  # in PostgreSQL, tables that an open transaction has read stay locked
                stop.wait(POLL_SECONDS)


def _take_turn(worker: CourseHandInWorker, workers: Sequence[CourseHandInWorker], stop: threading.Event) -> bool:
    """Grade one course until its turn is over; return whether it had anything to do."""

    def is_turn_over() -> bool:
        return stop.is_set() or any(
            other_worker.has_waiting_hand_in()
            for other_worker in workers
            if other_worker is not worker and not other_worker.is_pausing_after_fault
        )

    if stop.is_set() or worker.is_pausing_after_fault:
        return False
    with override_output_file_readers(worker.readers):
        return worker.grade_next_hand_ins(is_turn_over)
