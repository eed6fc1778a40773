"""Grade what was handed in to a course, one hand-in after the other, as ``autograder batch`` grades a class.

The rows in the store are the queue. A hand-in is claimed when a process is free for it, becomes a member of its
class, and is marked as graded together with its result, so that a worker killed at any moment loses nothing.
"""

from __future__ import annotations

import logging
import platform
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from autograder.batch.output_folder import HANDED_IN
from autograder.course import Assignment, load_course
from autograder.faults import CourseFault, Fault
from autograder.kit_version import get_kit_version
from autograder.output_file_access import Readers
from autograder.sandbox import Sandbox
from autograder.store.class_table import StoredClass
from autograder.store.database import Store
from autograder.store.grading_queue import LEASE
from autograder.store.grading_rules import make_grading_rules
from autograder.store.regrade_trial_table import TrialMarkChange
from autograder.web.assignment_hand_in_grader import AssignmentHandInGrader
from autograder.web.mail_sender import MailSender
from autograder.web.settings import ServedCourseSettings

TRIAL_STEP = 8
"""Hand-ins that are tried one after the other before what students hand in is looked for again."""
FAULT_SECONDS = 5.0
log = logging.getLogger("autograder.worker")


@dataclass
class HandInWorker:
    """Grades the hand-ins of one course, in turn with those of other courses.

    Attributes:
        settings: the server's settings.
        open_sandbox: opens the sandbox of an assignment.
        name: names this worker among others on the same store; a later one of the same name takes over.
        count: how many processes grade at once; one a processor when None.
        stop: set to end the worker after what it is at.
        readers: who may read the files of the course.
    """

    settings: ServedCourseSettings
    open_sandbox: Callable[[Assignment], Sandbox]
    name: str
    count: int | None = None
    stop: threading.Event = field(default_factory=threading.Event)
    readers: Readers = field(init=False, default="owner")
    _store: Store = field(init=False)
    _graders: dict[str, AssignmentHandInGrader] = field(default_factory=dict)
    _rest_until: float = 0.0

    @contextmanager
    def open_for_grading(self) -> Iterator[None]:
        """Open the store and the sandboxes, and begin to say that this worker is there.

        Raises:
            CourseFault: the course does not hold together.
            CallerFault: the store cannot be opened, or no sandbox is accepted.
        """
        with self.settings.place.open_store() as self._store, ExitStack() as resources:
            store = self._store
            store.grading_queue.release_claims_of_worker(self.name)
            tiers, course = set(), load_course(self.settings.course)
            self.readers = course.staff_file_settings.readable_by
            for assignment in course.assignments:
                sandbox = self.open_sandbox(assignment)
                tiers.add(sandbox.tier)
                self._prepare(assignment, sandbox)
            isolation = ", ".join(sorted(tiers))
            store.health.record_start(
                self.course_key, self.name, isolation, get_kit_version(), platform.python_version()
            )
            resources.callback(self.stop.set)
            threading.Thread(target=self._keep_leases, daemon=True).start()
            if self.settings.mail_server:
                sender = MailSender(self.settings, self.settings.mail_server, self.stop)
                threading.Thread(target=sender.run, daemon=True).start()
            resources.callback(_close_all, self._graders)
            yield
            store.health.record_worker_end(self.course_key, self.name)

    def has_waiting_hand_in(self) -> bool:
        """Return whether a hand-in waits for a worker."""
        return bool(self._store.grading_queue.get_next_assignment_or_empty(self.course_key))

    def try_take_turn(self, is_turn_over: Callable[[], bool]) -> bool:
        """Grade hand-ins to the assignment that is next, or else try a few of a regrade.

        Args:
            is_turn_over: asked after every few hand-ins whether others wait for the processors.

        Returns:
            Whether there was anything to do.
        """
        name = self._store.grading_queue.get_next_assignment_or_empty(self.course_key)
        if not name:
            return self._try_regrade()
        try:
            self._open_grader(name).grade_until_turn_is_over(is_turn_over)
        except Fault as fault:  # a course that is being edited, a machine in trouble: nobody's hand-in
            log.error("%s", fault)
            self._store.grading_queue.requeue_without_counting_try(self.name)
            self._store.health.record_fault(self.course_key, f"worker {self.name}", str(fault))
            self._rest_until = time.monotonic() + FAULT_SECONDS
        return True

    @property
    def is_resting(self) -> bool:
        """Return whether something failed a moment ago, and is tried again in another moment."""
        return time.monotonic() < self._rest_until

    @property
    def course_key(self) -> str:
        """Return what the course is called in the store."""
        return self.settings.place.class_name

    def _open_grader(self, name: str) -> AssignmentHandInGrader:
        """Return the grader of an assignment, a new one if the assignment is not what it was."""
        assignment = next((one for one in load_course(self.settings.course).assignments if one.name == name), None)
        if assignment is None:
            raise CourseFault(
                "is no assignment of the course any more; hand-ins to it wait",
                name,
                "put it back into grading.yml",
            )
        graders = self._graders
        if name in graders and graders[name].assignment != assignment:
            graders.pop(name).close()
        if name not in graders:
            sandbox = self.open_sandbox(assignment)
            stored_class = self._prepare(assignment, sandbox)
            graders[name] = AssignmentHandInGrader(
                self._store,
                self.settings.place,
                stored_class,
                assignment,
                sandbox,
                worker=self.name,
                process_count=self.count,
                stop=self.stop,
            )
        return graders[name]

    def _try_regrade(self) -> bool:
        """Go on with what the staff tries, a few hand-ins at a time; return whether there was anything."""
        store = self._store
        trial = store.regrade_trials.find_oldest_unfinished_trial(self.course_key)
        if trial is None:
            return False
        waiting = [one.hand_in for one in store.regrade_trials.list_mark_changes(trial, "waiting", TRIAL_STEP)]
        try:
            marks = self._open_grader(trial.assignment).regrade_for_trial_marks(waiting)
        except Fault as fault:  # shown to who tries it; the next trial is another one
            log.error("%s", fault)
            marks = [TrialMarkChange(one, "failed", lines=(str(fault),)) for one in waiting]
        store.regrade_trials.record_mark_changes(trial, marks)
        return True

    def _prepare(self, assignment: Assignment, sandbox: Sandbox) -> StoredClass:
        folder = self.settings.place.output_folder / HANDED_IN / assignment.name
        rules = make_grading_rules(assignment, sandbox.tier)
        return self._store.classes.find_or_begin_growing_class(self.course_key, folder, rules)

    def _keep_leases(self) -> None:
        """Say now and then that this worker is still there; a connection belongs to one thread, so it has its own."""
        while not self.stop.wait(LEASE.total_seconds() / 4):
            try:
                with self.settings.place.open_store() as store:
                    store.grading_queue.extend_leases(self.name)
                    store.health.record_worker_heartbeat(self.course_key, self.name)
            except Fault as fault:
                log.error("%s", fault)


def _close_all(graders: dict[str, AssignmentHandInGrader]) -> None:
    for grader in graders.values():
        grader.close()
