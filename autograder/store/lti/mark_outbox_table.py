"""Store the marks that go to platforms: one row per line item and person, with the latest version only.

A mark goes ``queued`` -> ``sending`` -> ``sent``, or ``rejected``, or ``kept`` if a person set another mark on the
platform. The worker that sends it holds a lease, and commits a note of what it is about to send. If the worker is
killed before the answer, the note stays in ``in_doubt``, and the next worker asks the platform first. A mark that
changes while it is being sent is queued again.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Any

from sqlalchemy import and_, case, insert, literal, or_, select, update

from autograder.store.column_encoding import UtcTime, utc_now
from autograder.store.lti.lti_mark_table_definitions import marks
from autograder.store.lti.lti_table_definitions import contexts, line_items, read_row
from autograder.store.lti.outbox_mark import (
    MarkState,
    MarkWithComment,
    OutboxMark,
)
from autograder.store.session import StorePart

LEASE = timedelta(minutes=5)
"""The lease of a claimed mark: longer than all requests for it can take together."""
LONGEST_WAIT = timedelta(hours=1)
"""The longest time that a mark waits for another try."""


class MarkOutboxTable(StorePart):
    """The marks of a store that go to platforms."""

    def add_or_replace_mark(
        self,
        resource_link_id: int,
        lti_person_id: int,
        line_item_url: str,
        mark_value: MarkWithComment,
        mark_state: MarkState = "queued",
        reason_not_sent: str = "",
    ) -> None:
        """Set the wanted mark of a person in a line item, in place of an earlier one.

        Never add a mark that its student may not see: a worker that holds the row would send it next.

        Args:
            resource_link_id: the line item.
            lti_person_id: the person.
            line_item_url: the line item's URL; if it changed, the record of what was sent is cleared.
            mark_value: the mark.
            mark_state: ``queued``, or ``skipped`` with a reason.
            reason_not_sent: why it is skipped.
        """
        key = {"line_item": resource_link_id, "person": lti_person_id}
        columns = {"url": line_item_url, "value": mark_value, "answer": reason_not_sent}
        with self._session.transaction():
            row = self._session.fetch_one(select(marks).filter_by(**key))
            if row is None:
                self._session.execute(insert(marks).values(**key, **columns, state=mark_state))
                return
            if row.url != line_item_url:
                columns |= {"confirmed": None, "in_doubt": (), "last_timestamp": None}
            is_claimed = and_(marks.c.state == "sending", _is_ahead(marks.c.lease_until, LEASE))
            columns |= {
                "tries": 0, "next_try": utc_now(), "changed_at": utc_now(), "overwrites": False,
                "version": marks.c.version + 1, "state": case((is_claimed, "sending"), else_=mark_state),
            }  # fmt: skip
            self._session.execute(update(marks).where(marks.c.id == row.id).values(**columns))

    def set_state_unless_sending(self, mark: OutboxMark, new_state: MarkState, reason_not_sent: str) -> None:
        """Set the state of a mark unless it is being sent; in that case a later call has to do it."""
        condition = and_(marks.c.id == mark.id, marks.c.state != "sending")
        self._update_marks(condition, state=new_state, answer=reason_not_sent, changed_at=utc_now())

    def try_claim_next_mark(
        self, worker_name: str, paused_resource_link_ids: Collection[int] = ()
    ) -> OutboxMark | None:
        """Take the mark that is next, for a worker to send; None if there is none now.

        Args:
            worker_name: who takes it.
            paused_resource_link_ids: line items that are paused now.
        """
        waits_for_retry = and_(marks.c.tries > 0, _is_ahead(marks.c.next_try, LONGEST_WAIT))
        is_due = or_(
            and_(marks.c.state == "queued", ~waits_for_retry),
            and_(marks.c.state == "sending", ~_is_ahead(marks.c.lease_until, LEASE)),
        )
        query = select(marks).where(is_due, marks.c.line_item.not_in([*paused_resource_link_ids]))
        with self._session.transaction():
            row = self._session.fetch_one(query.order_by(marks.c.next_try, marks.c.id).limit(1))
            if row is None:
                return None
            values = {"state": "sending", "worker": worker_name, "lease_until": utc_now() + LEASE}
            result = self._session.execute(update(marks).where(marks.c.id == row.id, is_due).values(**values))
            return read_row(OutboxMark, row) if result.rowcount else None

    def record_pending_send(self, mark: OutboxMark) -> None:
        """Commit a note of the value that is about to be sent, and of its timestamp."""
        assert mark.last_timestamp is not None
        self._update_marks(marks.c.id == mark.id, in_doubt=mark.in_doubt, last_timestamp=mark.last_timestamp)

    def save_claimed_progress(self, mark: OutboxMark, worker_name: str) -> None:
        """Save the progress of a claimed mark; if the mark changed meanwhile, queue it again.

        If the lease expired and another worker took the mark over, nothing is saved.
        """
        is_claimed = and_(marks.c.id == mark.id, marks.c.state == "sending", marks.c.worker == worker_name)
        is_same = marks.c.version == mark.version
        self._update_marks(
            and_(is_claimed, marks.c.url == mark.url),
            state=case((is_same, mark.state), else_="queued"),
            tries=case((is_same, mark.tries), else_=0),
            next_try=case((is_same, literal(mark.next_try, UtcTime)), else_=literal(utc_now(), UtcTime)),
            confirmed=mark.confirmed,
            in_doubt=mark.in_doubt,
            last_timestamp=mark.last_timestamp,
            overwrites=case((is_same, mark.overwrites), else_=False),
            answer=case((is_same, mark.answer), else_=""),
            lease_until=None,
            changed_at=utc_now(),
        )
        self._update_marks(is_claimed, state="queued", lease_until=None)  # its line item's URL changed meanwhile

    def expire_leases_of_worker(self, worker_name: str) -> None:
        """Expire the leases of a worker's marks at once, so that any worker may take them."""
        is_claimed = and_(marks.c.state == "sending", marks.c.worker == worker_name)
        self._update_marks(is_claimed, worker="", lease_until=None)

    def requeue_unsent(self, *mark_ids: int, may_overwrite_mark_of_person: bool = False) -> None:
        """Queue marks again that were rejected, wait for another try, or were kept.

        Args:
            mark_ids: the marks.
            may_overwrite_mark_of_person: whether a person's mark on the platform may be replaced.
        """
        is_stopped = and_(marks.c.id.in_([*mark_ids]), marks.c.state.in_(["rejected", "queued", "kept"]))
        self._update_marks(
            is_stopped, state="queued", tries=0, next_try=utc_now(), overwrites=may_overwrite_mark_of_person
        )

    def list_marks(self, course: str, assignment: str = "") -> list[OutboxMark]:
        """Return the marks of a course, or of one of its assignments."""
        query = select(marks).join(line_items, line_items.c.id == marks.c.line_item)
        query = query.join(contexts, contexts.c.id == line_items.c.context)
        query = query.where(contexts.c.course == course)
        query = query.where(line_items.c.assignment == assignment) if assignment else query
        return [read_row(OutboxMark, row) for row in self._session.fetch_all(query.order_by(marks.c.id))]

    def _update_marks(self, condition: Any, **values: Any) -> None:
        self._session.execute_and_commit(update(marks).where(condition).values(**values))


def _is_ahead(column: Any, longest: timedelta) -> Any:
    """Return whether a time lies ahead, but not so far that the clock was put back since."""
    now = utc_now()
    return and_(column.is_not(None), column > now, column <= now + 2 * longest)
