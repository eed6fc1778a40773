"""Grade what was handed in, one hand-in after the other, as ``autograder batch`` grades a class.

The rows in the store are the queue. A hand-in is claimed when a process is free for it, becomes a member of its
class, and is marked as graded together with its result, so that a worker killed at any moment loses nothing.
"""

from __future__ import annotations

import logging
import platform
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from autograder.batch.coordinator import BatchCoordinator
from autograder.batch.grading_tasks import GradingTaskResult, WorkerPool
from autograder.batch.local_workers import open_local_workers
from autograder.batch.mark_change_text import explain_mark_change, format_mark_change
from autograder.batch.mark_changes import MarkChange, make_mark_change
from autograder.batch.output_folder import OutputFolder
from autograder.batch.request import BatchRequest, RegradedReports
from autograder.batch.student_reports import load_report_context
from autograder.batch.task_scheduler import run_tasks
from autograder.course import Assignment, load_course
from autograder.faults import CourseFault, Fault
from autograder.kit_version import get_kit_version
from autograder.lateness import TimedSubmission
from autograder.reports.report_files import write_file_atomically
from autograder.sandbox import Sandbox
from autograder.store.class_table import StoredClass
from autograder.store.database import Store
from autograder.store.grading_rules import make_grading_rules
from autograder.store.hand_in_table import LEASE, HandIn
from autograder.store.regrade_trial_table import TrialMark
from autograder.store.stored_submission_entries import StoredSubmissionEntry
from autograder.web.settings import ServerSettings

FOLDER = "handed-in"
"""Holds what was handed in as files, so that ``autograder regrade`` finds it; the store's bytes are what counts."""
POLL_SECONDS = 0.3
TRIAL_STEP = 8
"""Hand-ins that are tried one after the other before what students hand in is looked for again."""
FAULT_SECONDS = 5.0
log = logging.getLogger("autograder.worker")


@dataclass
class GradingWorker:
    """Grades the hand-ins of one course until it is told to stop.

    Attributes:
        settings: the server's settings.
        open_sandbox: opens the sandbox of an assignment.
        name: names this worker among others on the same store; a later one of the same name takes over.
        count: how many processes grade at once; one a processor when None.
        stop: set to end the worker after what it is at.
    """

    settings: ServerSettings
    open_sandbox: Callable[[Assignment], Sandbox]
    name: str
    count: int | None = None
    stop: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Grade until ``stop`` is set; go on after a fault, with what other workers or the next start can do.

        Raises:
            CourseFault: the course does not hold together.
            CallerFault: the store cannot be opened, or no sandbox is accepted.
        """
        with self.settings.place.open_store() as store, ExitStack() as resources:
            store.hand_ins.release(self.name)
            tiers = set()
            for assignment in load_course(self.settings.course).assignments:
                sandbox = self.open_sandbox(assignment)
                tiers.add(sandbox.tier)
                self._prepare(store, assignment, sandbox)
            isolation = ", ".join(sorted(tiers))
            store.health.record_start(self.course, self.name, isolation, get_kit_version(), platform.python_version())
            resources.callback(self.stop.set)
            threading.Thread(target=self._keep_leases, daemon=True).start()
            lines: dict[str, _AssignmentLine] = {}
            resources.callback(_close_all, lines)
            while not self.stop.is_set():
                name = store.hand_ins.find_next_assignment(self.course)
                if not name:
                    if not self._try_regrade(store, lines):
                        self.stop.wait(POLL_SECONDS)
                    continue
                try:
                    self._line(name, store, lines).grade_all()
                except Fault as fault:  # a course that is being edited, a machine in trouble: nobody's hand-in
                    log.error("%s", fault)
                    store.hand_ins.give_back(self.name)
                    store.health.record_fault(self.course, f"worker {self.name}", str(fault))
                    self.stop.wait(FAULT_SECONDS)
            store.health.record_end(self.course, self.name)

    @property
    def course(self) -> str:
        """Return what the course is called in the store."""
        return self.settings.place.class_name

    def _line(self, name: str, store: Store, lines: dict[str, _AssignmentLine]) -> _AssignmentLine:
        """Return the line of an assignment, a new one if the assignment is not what it was."""
        assignment = next((one for one in load_course(self.settings.course).assignments if one.name == name), None)
        if assignment is None:
            raise CourseFault(
                "is no assignment of the course any more; hand-ins to it wait",
                name,
                "put it back into grading.yml",
            )
        if name in lines and lines[name].assignment != assignment:
            lines.pop(name).close()
        if name not in lines:
            sandbox = self.open_sandbox(assignment)
            stored_class = self._prepare(store, assignment, sandbox)
            lines[name] = _AssignmentLine(self, store, stored_class, assignment, sandbox)
        return lines[name]

    def _try_regrade(self, store: Store, lines: dict[str, _AssignmentLine]) -> bool:
        """Go on with what the staff tries, a few hand-ins at a time; return whether there was anything."""
        trial = store.regrade_trials.find_next_trial(self.course)
        if trial is None:
            return False
        waiting = [one.hand_in for one in store.regrade_trials.load_marks(trial, "waiting", TRIAL_STEP)]
        try:
            marks = self._line(trial.assignment, store, lines).try_regrade(waiting)
        except Fault as fault:  # shown to who tries it; the next trial is another one
            log.error("%s", fault)
            marks = [TrialMark(one, "failed", lines=(str(fault),)) for one in waiting]
        store.regrade_trials.record_marks(trial, marks)
        return True

    def _prepare(self, store: Store, assignment: Assignment, sandbox: Sandbox) -> StoredClass:
        folder = self.settings.place.output_folder / FOLDER / assignment.name
        rules = make_grading_rules(assignment, sandbox.tier)
        return store.classes.prepare_class(self.course, folder, rules)

    def _keep_leases(self) -> None:
        """Say now and then that this worker is still there; a connection belongs to one thread, so it has its own."""
        while not self.stop.wait(LEASE.total_seconds() / 4):
            try:
                with self.settings.place.open_store() as store:
                    store.hand_ins.extend_leases(self.name)
                    store.health.record_sign_of_life(self.course, self.name)
            except Fault as fault:
                log.error("%s", fault)


@dataclass
class _AssignmentLine:
    """The hand-ins to one assignment, and the processes that grade them."""

    worker: GradingWorker
    store: Store
    stored_class: StoredClass
    assignment: Assignment
    sandbox: Sandbox
    _claimed: dict[str, HandIn] = field(default_factory=dict)
    _resources: ExitStack = field(default_factory=ExitStack)

    @cached_property
    def pool(self) -> WorkerPool:
        """Return the processes; they start when there is work."""
        return self._resources.enter_context(open_local_workers(self.assignment, self.sandbox, self.worker.count))

    def close(self) -> None:
        """End the processes."""
        self._resources.close()

    def grade_all(self) -> None:
        """Grade until no hand-in to this assignment is next.

        Raises:
            CourseFault: the hidden suite cannot be used.
            KitFault: the machine fails.
        """
        request = BatchRequest(
            self.assignment,
            self.sandbox,
            self.worker.settings.place,
            lambda assignment, sandbox: nullcontext(self.pool),
            self._record_end,
        )
        context = load_report_context(self.store, self.stored_class, self.assignment.deadline_rules)
        unwritten = OutputFolder(self.worker.settings.place.output_folder, [], context, dry_run=True)
        coordinator = BatchCoordinator(request, self.store, self.stored_class, unwritten)
        self._claimed.clear()  # what an earlier round did not come to the end of was given back
        for done in run_tasks(
            coordinator.iterate_tasks(self._claim()), lambda: nullcontext(self.pool), self.store.tick
        ):
            coordinator.record_task_result(done)

    def try_regrade(self, chosen: Sequence[HandIn]) -> list[TrialMark]:
        """Grade hand-ins again without keeping anything, and return how their marks would change.

        Raises:
            CourseFault: the hidden suite cannot be used.
            KitFault: the machine fails.
        """
        changes: dict[str, MarkChange] = {}
        failures: dict[str, str] = {}

        def note(regraded: RegradedReports) -> None:
            changes[regraded.submission_name] = make_mark_change(regraded)

        def see_end(done: GradingTaskResult) -> None:
            if done.kit_failure:
                failures[done.name] = done.kit_failure

        place = self.worker.settings.place
        with place.open_store(dry_run=True) as store:
            known = [store.classes.find_member(self.stored_class, one.submission) for one in chosen]
            members = [
                replace(member, path=self._member(one).path)
                for one, member in zip(chosen, known, strict=True)
                if member
            ]
            context = load_report_context(store, self.stored_class, self.assignment.deadline_rules)
            request = BatchRequest(self.assignment, self.sandbox, place, on_result=see_end, on_regraded=note)
            unwritten = OutputFolder(place.output_folder, [], context, dry_run=True)
            coordinator = BatchCoordinator(request, store, self.stored_class, unwritten)
            for done in run_tasks(coordinator.iterate_tasks(members), lambda: nullcontext(self.pool)):
                coordinator.record_task_result(done)
        return [_mark(one, changes.get(one.submission), failures.get(one.submission, "")) for one in chosen]

    def _claim(self) -> Iterator[StoredSubmissionEntry]:
        """Yield hand-ins as members of the class, each claimed when there is a process for it."""
        hand_ins, worker = self.store.hand_ins, self.worker
        while not worker.stop.is_set():
            hand_in = hand_ins.claim_next(worker.course, worker.name, self.assignment.name)
            if hand_in is None:
                return
            self._claimed[hand_in.submission] = hand_in
            member = self._member(hand_in)
            self.store.classes.add_member(self.stored_class, member)
            log.info("%s: %s", self.assignment.name, hand_in.submission)
            yield member

    def _member(self, hand_in: HandIn) -> StoredSubmissionEntry:
        """Return the member of the class that a hand-in is, and write its file."""
        path = self.stored_class.submissions_path / f"{hand_in.submission}{Path(hand_in.file_name).suffix}"
        write_file_atomically(path, self.store.hand_ins.load_content(hand_in))
        members = tuple((login,) for login in hand_in.owner.split("+"))
        return StoredSubmissionEntry(
            hand_in.submission, path, timed_submission=TimedSubmission(hand_in.owner, hand_in.handed_in, members)
        )

    def _record_end(self, done: GradingTaskResult) -> None:
        """Mark a hand-in as graded, on the disk together with its result."""
        self.store.hand_ins.record_end(self._claimed.pop(done.name), done.kit_failure)
        log.info("%s: %s %s", self.assignment.name, done.name, done.kit_failure or f"{done.seconds:.1f} s")


def _mark(hand_in: HandIn, change: MarkChange | None, failure: str) -> TrialMark:
    if failure:
        return TrialMark(hand_in, "failed", lines=(failure,))
    if change is None or change.before == change.after:
        return TrialMark(hand_in, "tried")
    lines = (format_mark_change(change), *explain_mark_change(change))
    return TrialMark(hand_in, "tried", change.difference, change.is_lowered, lines)


def _close_all(lines: dict[str, _AssignmentLine]) -> None:
    for line in lines.values():
        line.close()
