"""Store hand-ins from the web: owner, attempt number, bytes, and state of grading; assign them to workers.

A hand-in goes ``queued`` -> ``grading`` -> ``graded``, or ``failed`` if the grader fails repeatedly. The worker that
grades it holds a lease. A killed worker does not extend its lease; when it expires, another worker takes the hand-in.
Grading twice gives the same result, which is saved once.

Hand-ins are ordered by the number of workers lost while grading them. So a hand-in that kills every worker does not
block the others, and the losses of a machine that restarts repeatedly spread over all that wait. Then those for which
a student waits come before imports and regrades, and students and teams take turns, in the order of arrival.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from statistics import median
from typing import Any, Literal

from sqlalchemy import and_, exists, func, insert, or_, select, tuple_, update

from autograder.course.deadline_rules import DeadlineRules
from autograder.lateness import AttemptAllowance, compute_attempt_allowance
from autograder.store.session import StorePart, StoreSession
from autograder.store.tables import utc_now
from autograder.submissions.origin import TOGETHER
from autograder.web.store.accounts import Enrolment
from autograder.web.store.mails import MailKind, MailTable
from autograder.web.store.tables import enrolments, hand_in_members, hand_ins, workers

State = Literal["queued", "grading", "graded", "failed"]
"""See ``GradingQueue``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandIn:
    """One file that a student or a team handed in; its bytes are loaded separately."""

    id: int
    key: str
    """Identifies it in URLs; cannot be guessed."""
    course: str
    assignment: str
    owner: str
    """The login of the student, or the logins of the team, ``ada + bob``."""
    attempt: int
    submission: str
    """Its submission id in class, report and gradebook, such as ``ada-2``."""
    file_name: str
    size: int
    sha256: str
    handed_in: datetime
    state: State
    problem: str
    """Why it could not be graded; for the staff."""


@dataclass(frozen=True, slots=True)
class NewHandIn:
    """A new hand-in, before it is saved."""

    course: str
    assignment: str
    members: Sequence[Enrolment]
    """The students who hand it in; the first one sent it."""
    file_name: str
    """The file's name, for display."""
    content: bytes
    handed_in: datetime | None = None
    """When it arrived, here or elsewhere; None for the present time."""
    is_import: bool = False
    """Whether it was handed in elsewhere, so that no student waits for its result now."""
    mails: tuple[MailKind, ...] = ()
    """The kinds of mails that its members get."""

    @property
    def owner(self) -> str:
        """Return the login of the student, or the logins of the team, ``ada + bob``."""
        return make_owner_name(self.members)

    @property
    def sha256(self) -> str:
        """Return the digest of the content in hexadecimal digits."""
        return hashlib.sha256(self.content).hexdigest()


def make_owner_name(members: Iterable[Enrolment]) -> str:
    """Return what a hand-in of a student or a team stands under: ``ada``, ``ada + bob``."""
    return TOGETHER.join(sorted(member.login for member in members))


class AttemptLimitReached(Exception):
    """A hand-in was refused because of an attempt limit; the allowance tells which."""

    def __init__(self, allowance: AttemptAllowance) -> None:
        super().__init__("this attempt goes beyond what the assignment allows")
        self.allowance = allowance


class ByteQuotaReached(Exception):
    """A hand-in was refused because what its sender handed in before has too many bytes together with it."""

    def __init__(self, kept_bytes: int) -> None:
        super().__init__("the sender's hand-ins would have too many bytes")
        self.kept_bytes = kept_bytes


def _stands_for(earlier: HandIn, new: NewHandIn, reopened_at: datetime | None) -> bool:
    """Return whether a hand-in of the same bytes costs no other attempt.

    It does if the grader failed on the earlier one, the staff gave another attempt since, or it was handed in
    elsewhere.
    """
    if earlier.sha256 != new.sha256:
        return False
    if earlier.state in ("queued", "grading"):
        return True
    return (
        earlier.state == "graded" and not new.is_import and (reopened_at is None or earlier.handed_in > reopened_at)
    )


def list_counted_times(own_hand_ins: Iterable[HandIn], reopened_at: datetime | None) -> list[datetime]:
    """Return the times of the attempts that a limit counts.

    One on which the grader failed costs none, and neither does what was handed in before, but for what was before
    the staff gave another attempt.

    Args:
        own_hand_ins: those of one student or team, in the order of their arrival.
        reopened_at: when the staff last gave another attempt.
    """
    times: dict[tuple[str, bool], datetime] = {}
    for one in own_hand_ins:
        if one.state != "failed":
            is_later = reopened_at is not None and one.handed_in > reopened_at
            times.setdefault((one.sha256, is_later), one.handed_in)
    return [*times.values()]


@dataclass(frozen=True, slots=True)
class HandInQueueSummary:
    """How many hand-ins of a course are in each state, and since when a student waits."""

    counts: dict[str, int]
    """The number of hand-ins by their state; a state without any is left out."""
    oldest: datetime | None
    """When the oldest one was handed in for which a student waits; None if there is none.

    Imports and regrades were handed in long before they were queued."""


@dataclass(frozen=True, slots=True)
class GradingTimes:
    """How long the last hand-ins took for which a student waited: their medians."""

    count: int
    in_queue: timedelta
    of_grading: timedelta
    """From when a worker took one, which may have some at hand, to when its result was saved."""


@dataclass(frozen=True, slots=True)
class QueuePlace:
    """Where a hand-in stands in line."""

    before: int
    """How many are ahead of it, including those being graded; 0 for one that is."""
    wait: timedelta | None
    """When its result is probably there; None where nothing is known of that."""


class HandInTable:
    """The hand-ins of a store. Raises ``KitFault`` wherever the database fails."""

    def __init__(self, session: StoreSession, mails: MailTable) -> None:
        self._session, self._mails = session, mails

    def add_hand_in_unless_duplicate(
        self,
        new_hand_in: NewHandIn,
        attempt_limit_rules: DeadlineRules | None = None,
        reopened_at: datetime | None = None,
        max_bytes_of_sender: int | None = None,
    ) -> HandIn:
        """Save and commit a hand-in, and queue it for grading.

        If the owner's last hand-in has the same bytes, return it: a double click, or somebody who is not sure. The
        same goes for an earlier one, unless the last attempt counts: then the new one, which costs no attempt, is
        kept as the last, so that a student can go back to an earlier program.

        Args:
            new_hand_in: the file and its members.
            attempt_limit_rules: the attempt limits; none when None.
            reopened_at: when the staff last gave another attempt.
            max_bytes_of_sender: bytes that all hand-ins of the sender to the course may have; any when None.

        Raises:
            AttemptLimitReached: no further attempt is allowed now; nothing was saved.
            ByteQuotaReached: the sender's hand-ins would have too many bytes; nothing was saved.
            KitFault: the disk or the database fails; nothing was saved.
        """
        is_of_owner = _is_of_owner(new_hand_in)
        own_query = select(*COLUMNS).where(is_of_owner).order_by(hand_ins.c.attempt)
        rules = attempt_limit_rules or DeadlineRules()
        with self._session.transaction():
            account_ids = sorted(member.account for member in new_hand_in.members)
            # serializes the attempts of one owner
            self._session.lock_rows(enrolments, enrolments.c.account.in_(account_ids))
            own = self._session.fetch_all_as(HandIn, own_query)
            last = own[-1] if own else None
            candidates = own[-1:] if new_hand_in.is_import else own[::-1]
            same = next((one for one in candidates if _stands_for(one, new_hand_in, reopened_at)), None)
            if same and (same is last or rules.which_attempt_counts != "last"):
                return same
            allowance = compute_attempt_allowance(rules, list_counted_times(own, reopened_at), reopened_at, utc_now())
            if max_bytes_of_sender is not None:
                self._require_room(new_hand_in, max_bytes_of_sender)
            if not same and not allowance.may_hand_in_now:
                raise AttemptLimitReached(allowance)
            columns = _make_columns(new_hand_in, last.attempt + 1 if last else 1)
            hand_in_id = self._session.insert_row(hand_ins, turn=self._choose_turn(new_hand_in), **columns)
            rows = [{"hand_in": hand_in_id, "account": account_id} for account_id in account_ids]
            self._session.execute(insert(hand_in_members), rows)
            self._mails.queue_hand_in_mails(new_hand_in.course, hand_in_id, new_hand_in.mails)
            return self._session.fetch_all_as(HandIn, own_query)[-1]

    def find_hand_in(self, course: str, hand_in_key: str, account_id: int | None = None) -> HandIn | None:
        """Return a hand-in by its key; None if it does not exist, or does not belong to the given account.

        Args:
            course: the course.
            hand_in_key: its key.
            account_id: the account that must be among its members; any when None.
        """
        query = select(*COLUMNS).where(hand_ins.c.course == course, hand_ins.c.key == hand_in_key)
        return self._session.fetch_one_as(
            HandIn, query if account_id is None else query.where(_is_member(account_id))
        )

    def list_hand_ins(self, course: str, assignment: str, account_id: int | None = None) -> list[HandIn]:
        """Return the hand-ins to an assignment, of an account or of all, in the order of their arrival."""
        query = select(*COLUMNS).where(hand_ins.c.course == course, hand_ins.c.assignment == assignment)
        query = query if account_id is None else query.where(_is_member(account_id))
        return self._session.fetch_all_as(HandIn, query.order_by(hand_ins.c.id))

    def list_earlier_attempts(self, hand_in: HandIn) -> list[HandIn]:
        """Return the attempts of the same student or team before one, the last first."""
        query = select(*COLUMNS).where(_is_of_owner(hand_in), hand_ins.c.attempt < hand_in.attempt)
        return self._session.fetch_all_as(HandIn, query.order_by(hand_ins.c.attempt.desc()))

    def list_hand_in_owners(self, course: str, assignment: str) -> list[str]:
        """Return the students and teams who handed in to an assignment."""
        query = select(hand_ins.c.owner).where(hand_ins.c.course == course)
        return [
            row.owner for row in self._session.fetch_all(query.where(hand_ins.c.assignment == assignment).distinct())
        ]

    def _require_room(self, new_hand_in: NewHandIn, max_bytes: int) -> None:
        query = select(func.sum(hand_ins.c.size)).where(
            hand_ins.c.course == new_hand_in.course, hand_ins.c.account == new_hand_in.members[0].account
        )
        kept_bytes = self._session.fetch_value(query) or 0
        if kept_bytes + len(new_hand_in.content) > max_bytes:
            raise ByteQuotaReached(kept_bytes)

    def _choose_turn(self, new_hand_in: NewHandIn) -> int:
        """Return the turn of a new hand-in: after the owner's own that wait, or else with the first of all that wait.

        So an owner with many hand-ins in the queue takes turns with the others, whenever these arrive.
        """
        is_waiting = and_(
            hand_ins.c.course == new_hand_in.course,
            hand_ins.c.state.in_(["queued", "grading"]),
            hand_ins.c.is_behind == new_hand_in.is_import,
        )
        own_query = select(func.max(hand_ins.c.turn)).where(is_waiting, hand_ins.c.owner == new_hand_in.owner)
        last_own_turn = self._session.fetch_value(own_query)
        if last_own_turn is not None:
            return int(last_own_turn) + 1
        return self._session.fetch_value(select(func.min(hand_ins.c.turn)).where(is_waiting)) or 0

    def load_content(self, hand_in: HandIn) -> bytes:
        """Return the bytes that were handed in."""
        query = select(hand_ins.c.content).where(hand_ins.c.id == hand_in.id)
        return bytes(self._session.execute(query).scalar_one())

    def load_hand_in_queue_summary(self, course: str) -> HandInQueueSummary:
        """Return how many hand-ins of a course are in each state, and since when the oldest one waits."""
        is_of_course = hand_ins.c.course == course
        count_query = (
            select(hand_ins.c.state, func.count().label("number")).where(is_of_course).group_by(hand_ins.c.state)
        )
        oldest_query = select(func.min(hand_ins.c.handed_in)).where(
            is_of_course, hand_ins.c.state.in_(["queued", "grading"]), ~hand_ins.c.is_behind
        )
        counts = {row.state: row.number for row in self._session.fetch_all(count_query)}
        return HandInQueueSummary(counts, self._session.fetch_value(oldest_query))


def _is_of_owner(hand_in: HandIn | NewHandIn) -> Any:
    """Return whether somebody handed in to the same assignment alone, or with the same team."""
    return and_(*(hand_ins.c[name] == getattr(hand_in, name) for name in ("course", "assignment", "owner")))


def _is_member(account: int) -> Any:
    return exists().where(hand_in_members.c.hand_in == hand_ins.c.id, hand_in_members.c.account == account)


def _make_columns(hand_in: NewHandIn, attempt: int) -> dict[str, Any]:
    return {
        "key": secrets.token_urlsafe(18), "course": hand_in.course, "assignment": hand_in.assignment,
        "owner": hand_in.owner, "attempt": attempt, "submission": f"{hand_in.owner}-{attempt}",
        "account": hand_in.members[0].account, "file_name": hand_in.file_name, "size": len(hand_in.content),
        "sha256": hand_in.sha256, "handed_in": hand_in.handed_in or utc_now(), "content": hand_in.content,
        "is_behind": hand_in.is_import, "queued_at": utc_now(),
    }  # fmt: skip


COLUMNS = tuple(hand_ins.c[field.name] for field in fields(HandIn))
"""The columns of a ``HandIn``, which are named as its fields."""


LEASE = timedelta(seconds=60)
"""How long a worker may be silent before another one takes its hand-ins."""
MOST_TRIES = 5
"""How many workers may be lost over one hand-in before it is recorded as failed."""
LOST = f"{MOST_TRIES} workers were lost while this was graded"
MOST_MEASURED = 50
"""Of how many hand-ins the times are looked at, the latest ones: machines and tests change within a term."""


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
            values = {"state": "grading", "worker": worker_name, "lease_until": now + LEASE, "begun_at": now}
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

    def find_place(self, hand_in: HandIn) -> QueuePlace:
        """Return where a hand-in stands in line.

        As many as are held at once leave the queue in the time that one of them takes, however many processes there
        are. So nothing is said while none is held, but of the next one while a worker runs.
        """
        before, now = self.count_hand_ins_ahead(hand_in), utc_now()
        is_held = and_(hand_ins.c.course == hand_in.course, _is_held(hand_ins, now))
        held = self._session.fetch_value(select(func.count()).select_from(hand_ins).where(is_held))
        is_alive = and_(
            workers.c.course == hand_in.course, workers.c.ended_at.is_(None), workers.c.seen_at > now - LEASE
        )
        moves = (
            held if before else self._session.fetch_value(select(func.count()).select_from(workers).where(is_alive))
        )
        times = self.load_grading_times(hand_in.course, hand_in.assignment) if moves else None
        return QueuePlace(before, times.of_grading * (before / moves + 1) if times else None)

    def load_grading_times(self, course: str, assignment: str | None = None) -> GradingTimes | None:
        """Return how long hand-ins took lately, to one assignment or to all; None where none was measured."""
        is_measured = and_(
            hand_ins.c.state == "graded",
            hand_ins.c.course == course,
            ~hand_ins.c.is_behind,
            hand_ins.c.queued_at.is_not(None),
            hand_ins.c.begun_at.is_not(None),
        )
        query = select(hand_ins.c.queued_at, hand_ins.c.begun_at, hand_ins.c.ended_at).where(is_measured)
        query = query if assignment is None else query.where(hand_ins.c.assignment == assignment)
        rows = self._session.fetch_all(query.order_by(hand_ins.c.id.desc()).limit(MOST_MEASURED))
        if not rows:
            return None
        return GradingTimes(
            len(rows),
            _compute_median(row.begun_at - row.queued_at for row in rows),
            _compute_median(row.ended_at - row.begun_at for row in rows),
        )

    def record_outcome(self, hand_in: HandIn, problem: str = "") -> None:
        """Record that a hand-in was graded, or why it could not be, in the transaction that saves its result."""
        state = "failed" if problem else "graded"
        values = {"state": state, "problem": problem, "lease_until": None, "ended_at": utc_now()}
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
        queued = {"state": "queued", "tries": 0, "problem": "", "is_behind": True, "turn": 0, "queued_at": utc_now()}
        is_ended = and_(
            hand_ins.c.id.in_([hand_in.id for hand_in in chosen_hand_ins]), hand_ins.c.state.in_(["graded", "failed"])
        )
        self._session.execute_and_commit(update(hand_ins).where(is_ended).values(**queued))

    def _update_claims(self, worker_name: str, **values: Any) -> None:
        is_claimed = and_(hand_ins.c.state == "grading", hand_ins.c.worker == worker_name)
        self._session.execute_and_commit(update(hand_ins).where(is_claimed).values(**values))


def _compute_median(times: Iterable[timedelta]) -> timedelta:
    """Return the median; times below zero, of a clock that was put back, count as none."""
    return timedelta(seconds=median(max(one.total_seconds(), 0.0) for one in times))


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
