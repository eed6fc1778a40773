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


def sync_outbox_with_expected_marks(
    store: Store, course: str, assignments: Iterable[Assignment], course_url: str
) -> None:
    """Queue every new or changed mark, and withhold queued or rejected marks that may no longer be sent.

    Args:
        store: where results and outbox are.
        course: the course.
        assignments: its assignments.
        course_url: how browsers reach the course's first page, without a slash at its end.
    """
    for assignment in assignments:
        rows = {
            (one.resource_link_id, one.person): one for one in store.mark_outbox.list_marks(course, assignment.name)
        }
        due = {
            (one.link.id, one.person.id): one
            for one in list_expected_lms_marks(store, course, assignment, course_url)
        }
        for key, wanted in due.items():
            _update(store, rows.get(key), wanted)
        for key, row in rows.items():
            if key not in due and row.state in ("queued", "rejected"):
                store.mark_outbox.set_state_unless_sending(row, "withheld", WITHHELD)


def _update(store: Store, row: OutboxMark | None, wanted: ExpectedLmsMark) -> None:
    if row is not None and row.value == wanted.value and row.url == wanted.link.line_item_url:
        if wanted.skipped and row.state in ("queued", "rejected", "withheld"):
            store.mark_outbox.set_state_unless_sending(row, "skipped", wanted.skipped)
        if wanted.skipped or row.state not in ("withheld", "skipped"):
            return
        if row.confirmed == row.value and not row.in_doubt:
            store.mark_outbox.set_state_unless_sending(row, "sent", "")
            return
    state: MarkState = "skipped" if wanted.skipped else "queued"
    store.mark_outbox.add_or_replace_mark(
        wanted.link.id, wanted.person.id, wanted.link.line_item_url, wanted.value, state, wanted.skipped
    )
