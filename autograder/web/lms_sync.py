"""Keep LMSs in step with a course: its line items, deadlines and marks."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, field

from autograder.course import load_course
from autograder.faults import Fault
from autograder.web.lms.sync import LmsDeadlineRefresher, MissingLineItemMaker, queue_expected_marks
from autograder.web.lti.mark_sender import QueuedMarkSender
from autograder.web.lti.tool import make_lti_tool
from autograder.web.settings import CourseServerSettings
from autograder.web.store.server_store import ServerStore, open_server_store

POLL_SECONDS, IDLE_SECONDS = 0.5, 3.0
"""Pauses between checks of an empty outbox, and between checks for a connected LMS while there is none."""
SYNC_SECONDS = 3.0
"""Least time between two comparisons of a class's marks."""
SYNC_SHARE = 20
"""The pause after a comparison is at least this many times as long as the comparison took."""
FAULT_SECONDS = 5.0
log = logging.getLogger("autograder.outbox")


@dataclass
class LmsSyncWorker:
    """Keeps an LMS in step with a course until it is told to stop.

    It makes missing line items, refreshes the LMS's deadlines, queues changed marks and sends queued ones. It holds
    the tool's key; graders hold none.

    Attributes:
        settings: the server's settings.
        name: names this worker among others on the same store; a later one of the same name takes over.
        stop: set to end it after the mark that it is at.
    """

    settings: CourseServerSettings
    name: str
    stop: threading.Event = field(default_factory=threading.Event)
    _next_sync: float = 0.0

    def __post_init__(self) -> None:
        self._tool = make_lti_tool(self.settings.location.output_folder)
        self._line_item_maker = MissingLineItemMaker(self._tool, f"outbox {self.name}")
        self._deadline_refresher = LmsDeadlineRefresher(self._tool, f"outbox {self.name}")

    def run(self) -> None:
        """Work until ``stop`` is set; go on after a fault.

        Raises:
            CallerFault: the store cannot be opened.
        """
        course = self.settings.location.class_key_in_store
        with open_server_store(self.settings.location) as store:
            store.mark_outbox.expire_leases_of_worker(self.name)
            sender = QueuedMarkSender(store, course, self._tool, self.name)
            while not self.stop.is_set():
                try:
                    if not store.lti_links.list_in_connected_courses(course):
                        self._pause(store, IDLE_SECONDS)
                        continue
                    self._sync_if_due(store, course)
                    if not sender.try_process_next_mark():
                        self._pause(store, POLL_SECONDS)
                except Fault as fault:  # a course that is being edited, a disk that is full
                    log.error("%s", fault)
                    store.mark_outbox.expire_leases_of_worker(self.name)
                    store.faults.record_fault(course, f"outbox {self.name}", str(fault))
                    self._pause(store, FAULT_SECONDS)

    def _pause(self, store: ServerStore, seconds: float) -> None:
        """Commit and wait: in PostgreSQL, tables that an open transaction has read stay locked."""
        store.commit()
        self.stop.wait(seconds)

    def _sync_if_due(self, store: ServerStore, course: str) -> None:
        """Update line items, deadlines and queued marks, unless the last update was too recent.

        Raises:
            CourseFault: ``grading.yml`` is inconsistent now; no marks are sent meanwhile.
        """
        started_at = time.monotonic()
        if started_at < self._next_sync:
            return
        assignments = load_course(self.settings.course).assignments
        self._line_item_maker.ensure_line_items(store, course, assignments)
        self._deadline_refresher.refresh_outdated(store, course, assignments)
        queue_expected_marks(store, course, assignments, self.settings.course_url)
        now = time.monotonic()
        self._next_sync = now + max(SYNC_SECONDS, SYNC_SHARE * (now - started_at))
