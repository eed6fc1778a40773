"""Store the marks that go to platforms, the requests about them, and when they are sent."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import and_, case, insert, literal, or_, select, update

from autograder.store.session import StorePart
from autograder.store.tables import UtcTime, utc_now
from autograder.web.store.lti.tables import (
    MarkState,
    MarkWithComment,
    OutboxMark,
    SendPolicy,
    attempts,
    contexts,
    line_items,
    marks,
    settings,
)

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
            mark = self._session.fetch_one_as(OutboxMark, query.order_by(marks.c.next_try, marks.c.id).limit(1))
            if mark is None:
                return None
            values = {"state": "sending", "worker": worker_name, "lease_until": utc_now() + LEASE}
            result = self._session.execute(update(marks).where(marks.c.id == mark.id, is_due).values(**values))
            return mark if result.rowcount else None

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
        return self._session.fetch_all_as(OutboxMark, query.order_by(marks.c.id))

    def _update_marks(self, condition: Any, **values: Any) -> None:
        self._session.execute_and_commit(update(marks).where(condition).values(**values))


def _is_ahead(column: Any, longest: timedelta) -> Any:
    """Return whether a time lies ahead, but not so far that the clock was put back since."""
    now = utc_now()
    return and_(column.is_not(None), column > now, column <= now + 2 * longest)


AttemptKind = Literal["results", "score"]
"""A read of the marks on the platform, or the sending of a mark."""


@dataclass(frozen=True, slots=True)
class LtiMarkRequest:
    """One request about a mark."""

    version: int
    kind: AttemptKind
    value: MarkWithComment | None
    """The mark that was sent or read."""
    status: int
    """The HTTP status; 0 where no answer came."""
    answer: str
    """The beginning of the answer, escaped."""
    recorded_at: datetime


class LtiMarkRequestLog(StorePart):
    """Log of the requests to platforms about marks, with their answers."""

    def add(
        self, mark: OutboxMark, kind: AttemptKind, value: MarkWithComment | None, status: int, answer: str
    ) -> None:
        """Record a request; it is committed with the mark's next change."""
        values = {"mark": mark.id, "version": mark.version, "kind": kind, "value": value, "status": status}
        with self._session.group_statements():
            self._session.execute(insert(attempts).values(**values, answer=answer))

    def list_requests(self, mark_id: int) -> list[LtiMarkRequest]:
        """Return every request about a mark, in order."""
        query = select(attempts).where(attempts.c.mark == mark_id).order_by(attempts.c.id)
        return self._session.fetch_all_as(LtiMarkRequest, query)


DEFAULT: SendPolicy = "at once"
"""As soon as students see the result here; ``feedback.results`` in ``grading.yml`` says when that is."""


class SendPolicyTable(StorePart):
    """When the marks of each line item are sent: at once, after the due date, or on publishing."""

    def get_send_policy_or_default(self, resource_link_id: int) -> SendPolicy:
        """Return when the marks of a line item are sent; the default if nothing was set."""
        query = select(settings.c.send_when).where(settings.c.line_item == resource_link_id)
        policy: SendPolicy = self._session.fetch_value(query) or DEFAULT
        return policy

    def save_send_policy(self, resource_link_id: int, send_policy: SendPolicy) -> None:
        """Say when the marks of a line item are sent."""
        with self._session.transaction():
            self._session.update_or_insert(settings, {"line_item": resource_link_id}, send_when=send_policy)
