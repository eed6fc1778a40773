"""Bring the outbox up to date with the marks that should stand in LMSs.

Every run compares all marks instead of reacting to events. So the next run finds every difference, whatever changed a
mark and even if a process was killed meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable

from autograder.course import Assignment
from autograder.store.lti.outbox_mark import MarkState, OutboxMark
from autograder.store.store import Store
from autograder.web.lms.expected_lms_marks import ExpectedLmsMark, list_expected_lms_marks

WITHHELD = "students may not see it now, or nothing counts any more"


def queue_expected_marks(store: Store, course: str, assignments: Iterable[Assignment], course_url: str) -> None:
    """Queue every new or changed mark, and withhold queued or rejected marks that may no longer be sent.

    Args:
        store: where results and outbox are.
        course: the course.
        assignments: its assignments.
        course_url: how browsers reach the course's first page, without a slash at its end.
    """
    for assignment in assignments:
        mark_by_key = {
            (mark.line_item, mark.person): mark for mark in store.mark_outbox.list_marks(course, assignment.name)
        }
        expected_by_key = {
            (expected.link.id, expected.person.id): expected
            for expected in list_expected_lms_marks(store, course, assignment, course_url)
        }
        for key, expected in expected_by_key.items():
            _update_mark(store, mark_by_key.get(key), expected)
        for key, mark in mark_by_key.items():
            if key not in expected_by_key and mark.state in ("queued", "rejected"):
                store.mark_outbox.set_state_unless_sending(mark, "withheld", WITHHELD)


def _update_mark(store: Store, mark: OutboxMark | None, expected: ExpectedLmsMark) -> None:
    if mark is not None and mark.value == expected.value and mark.url == expected.link.line_item_url:
        if expected.skipped and mark.state in ("queued", "rejected", "withheld"):
            store.mark_outbox.set_state_unless_sending(mark, "skipped", expected.skipped)
        if expected.skipped or mark.state not in ("withheld", "skipped"):
            return
        if mark.confirmed == mark.value and not mark.in_doubt:
            store.mark_outbox.set_state_unless_sending(mark, "sent", "")
            return
    state: MarkState = "skipped" if expected.skipped else "queued"
    store.mark_outbox.add_or_replace_mark(
        expected.link.id, expected.person.id, expected.link.line_item_url, expected.value, state, expected.skipped
    )
