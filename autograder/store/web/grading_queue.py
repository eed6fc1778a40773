"""Assign hand-ins to workers; the rows of ``hand_in_table`` are the queue.

A hand-in goes ``queued`` -> ``grading`` -> ``graded``, or ``failed`` if the grader fails repeatedly. The worker that
grades it holds a lease. A killed worker does not extend its lease; when it expires, another worker takes the hand-in.
Grading twice gives the same result, which is saved once.

Hand-ins are ordered by the number of workers lost while grading them. So a hand-in that kills every worker does not
block the others, and the losses of a machine that restarts repeatedly spread over all that wait. Then those for which
a student waits come before imports and regrades, and students and teams take turns, in the order of arrival.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import and_, exists, func, or_, select, tuple_, update

from autograder.store.column_encoding import utc_now
from autograder.store.session import StorePart
from autograder.store.web.hand_in_model import HandIn
from autograder.store.web.hand_in_table import COLUMNS
from autograder.store.web.web_table_definitions import hand_ins

LEASE = timedelta(seconds=60)
"""How long a worker may be silent before another one takes its hand-ins."""
MOST_TRIES = 5
"""How many workers may be lost over one hand-in before it is recorded as failed."""
LOST = f"{MOST_TRIES} workers were lost while this was graded"


class GradingQueue(StorePart):
    """The hand-ins that wait, and those that are graded now."""

    def try_claim_next_hand_in(self, course: str, worker_name: str, only_if_assignment: str = "") -> HandIn | None:
        """Claim the next hand-in for a worker; None if there is none.

        The hand-ins of one student or team are graded one after the other. Hand-ins whose worker was lost at their
        last try are recorded as failed first.

        Args:
            course: the course.
            worker_name: the worker that claims it.
            only_if_assignment: claim the next hand-in only if it is to this assignment; to any when empty.
        """
        with self._session.transaction():
            now = utc_now()
            # A jump of the clock makes leases look lapsed, also those of what this worker is grading.
            is_of_another_worker = hand_ins.c.worker != worker_name
            is_given_up = and_(_is_lapsed(now), is_of_another_worker, hand_ins.c.tries >= MOST_TRIES)
            self._session.execute(update(hand_ins).where(is_given_up).values(state="failed", problem=LOST))
            is_free = or_(hand_ins.c.state == "queued", is_of_another_worker)
            hand_in = self._session.fetch_one_as(HandIn, _make_next_query(course, now).where(is_free))
            if hand_in is None or only_if_assignment not in ("", hand_in.assignment):
                return None
            query = update(hand_ins).where(hand_ins.c.id == hand_in.id, _is_waiting(now))
            values = {"state": "grading", "worker": worker_name, "lease_until": now + LEASE}
            is_claimed = self._session.execute(query.values(tries=hand_ins.c.tries + 1, **values)).rowcount
        return hand_in if is_claimed else None

    def get_next_assignment(self, course: str) -> str:
        """Return the assignment of the hand-in that is next; empty if there is none."""
        hand_in = self._session.fetch_one_as(HandIn, _make_next_query(course, utc_now()))
        return hand_in.assignment if hand_in else ""

    def count_hand_ins_ahead(self, hand_in: HandIn) -> int:
        """Return how many hand-ins are ahead of this one, including those being graded."""
        this, now = hand_ins.alias("this"), utc_now()
        is_earlier = tuple_(*_list_order(hand_ins)) < tuple_(*_list_order(this))
        is_ahead = or_(_is_held(hand_ins, now), and_(_is_waiting(now), is_earlier))
        is_other = and_(this.c.id == hand_in.id, hand_ins.c.id != this.c.id, ~_is_held(this, now))
        query = select(func.count()).select_from(hand_ins, this).where(is_other, is_ahead)
        return int(self._session.execute(query).scalar_one())

    def record_outcome(self, hand_in: HandIn, problem: str = "") -> None:
        """Record that a hand-in was graded, or why it could not be, in the transaction that saves its result."""
        state = "failed" if problem else "graded"
        values = {"state": state, "problem": problem, "lease_until": None}
        self._session.execute_and_commit(update(hand_ins).where(hand_ins.c.id == hand_in.id).values(**values))

    def extend_leases(self, worker_name: str) -> None:
        """Extend the leases of a worker's claimed hand-ins."""
        self._update_claims(worker_name, lease_until=utc_now() + LEASE)

    def expire_leases_of_worker(self, worker_name: str) -> None:
        """Expire the leases of a lost worker at once, so that another worker takes its hand-ins.

        Each counts as a try.
        """
        self._update_claims(worker_name, worker="", lease_until=None)

    def requeue_claims_without_counting_try(self, worker_name: str) -> None:
        """Requeue a worker's claimed hand-ins after a fault that no hand-in caused; this does not count as a try."""
        self._update_claims(worker_name, state="queued", tries=hand_ins.c.tries - 1, lease_until=None)

    def requeue_ended(self, *chosen_hand_ins: HandIn) -> None:
        """Queue ended hand-ins again, for the present version of the assignment; waiting ones keep their place."""
        queued = {"state": "queued", "tries": 0, "problem": "", "is_behind": True, "turn": 0}
        is_ended = and_(
            hand_ins.c.id.in_([hand_in.id for hand_in in chosen_hand_ins]), hand_ins.c.state.in_(["graded", "failed"])
        )
        self._session.execute_and_commit(update(hand_ins).where(is_ended).values(**queued))

    def _update_claims(self, worker_name: str, **values: Any) -> None:
        is_claimed = and_(hand_ins.c.state == "grading", hand_ins.c.worker == worker_name)
        self._session.execute_and_commit(update(hand_ins).where(is_claimed).values(**values))


def _make_next_query(course: str, now: datetime) -> Any:
    """Return the query for the next hand-in: one that waits or lost its worker."""
    other = hand_ins.alias("other")
    same_owner = and_(
        *(other.c[name] == hand_ins.c[name] for name in ("course", "assignment", "owner")),
        other.c.id != hand_ins.c.id,
    )
    query = select(*COLUMNS).where(hand_ins.c.course == course, _is_waiting(now))
    query = query.where(~exists().where(same_owner, _is_held(other, now)))
    return query.order_by(*_list_order(hand_ins)).limit(1)


def _list_order(table: Any) -> tuple[Any, ...]:
    """Return the columns by which hand-ins are ordered in the queue."""
    return table.c.tries, table.c.is_behind, table.c.turn, table.c.id


def _is_held(table: Any, now: datetime) -> Any:
    return and_(table.c.state == "grading", _is_lease_valid(table, now))


def _is_waiting(now: datetime) -> Any:
    return or_(hand_ins.c.state == "queued", _is_lapsed(now))


def _is_lapsed(now: datetime) -> Any:
    return and_(hand_ins.c.state == "grading", ~_is_lease_valid(hand_ins, now))


def _is_lease_valid(table: Any, now: datetime) -> Any:
    """Return whether a lease is neither past nor so far ahead that the clock was put back since."""
    lease_until = table.c.lease_until
    return and_(lease_until.is_not(None), lease_until > now, lease_until <= now + 2 * LEASE)
