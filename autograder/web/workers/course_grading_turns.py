"""Grade several courses on the same processors, in turns, so that no course waits for another's whole queue."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import ExitStack

from autograder.output_file_permissions import override_output_file_readers
from autograder.web.workers.hand_in_worker import CourseHandInWorker

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
