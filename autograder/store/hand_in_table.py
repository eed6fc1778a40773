"""Keep what was handed in on the web, and how far the grading of each is: the rows are the queue.

A hand-in goes ``queued`` -> ``grading`` -> ``graded``, or ``failed`` where the grader's own trouble does not end. Who
grades it holds a lease. A worker that was killed never comes back for it, so that the lease runs out, and another
worker takes it; grading twice gives the same result, and it is kept once. What has cost a worker goes behind what has
not: one hand-in that ends every worker is given up before it holds up the others, and others that were beside it, or
a machine that is restarted again and again, use up no hand-in's tries.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from sqlalchemy import and_, exists, func, insert, or_, select, tuple_, update

from autograder.course.deadline_rules import DeadlineRules
from autograder.faults import Fault
from autograder.lateness import AttemptAllowance, compute_allowance
from autograder.store.account_table import Enrolment
from autograder.store.session import StoreSession
from autograder.store.text_encoding import decode_name, encode_name
from autograder.store.web_tables import enrolments, hand_in_members, hand_ins

State = Literal["queued", "grading", "graded", "failed"]
LEASE = timedelta(seconds=60)
"""How long a worker that says nothing is waited for."""
MOST_TRIES = 5
"""Workers that may be lost over one hand-in, before people look at it."""
LOST = f"{MOST_TRIES} workers were lost while this was graded"


@dataclass(frozen=True, slots=True)
class HandIn:
    """One file that a student or a team handed in; its bytes are read apart."""

    id: int
    key: str
    """Names it in addresses; cannot be guessed."""
    course: str
    assignment: str
    owner: str
    """The login of the student, or the logins of the team, ``ada+bob``."""
    attempt: int
    submission: str
    """Its id in class, report and gradebook: ``ada-2``."""
    file_name: str
    size: int
    sha256: str
    handed_in: datetime
    state: State
    problem: str
    """Why it could not be graded; for the staff."""


class RefusedAttempt(Exception):
    """A hand-in that was not kept, because of a limit of attempts; the allowance says why."""

    def __init__(self, allowance: AttemptAllowance) -> None:
        super().__init__("this attempt goes beyond what the assignment allows")
        self.allowance = allowance


class HandInTable:
    """The hand-ins of a store. Raises ``KitFault`` wherever the database fails."""

    def __init__(self, session: StoreSession) -> None:
        self._session = session

    def add_hand_in(
        self,
        course: str,
        assignment: str,
        entries: Sequence[Enrolment],
        file_name: str,
        content: bytes,
        sha256: str,
        deadline_rules: DeadlineRules | None = None,
        reopened_at: datetime | None = None,
    ) -> HandIn:
        """Keep what was handed in, on the disk when this returns, and queue it to be graded.

        The same bytes once more while they still wait are no second attempt: somebody clicked twice.

        Args:
            course: the course.
            assignment: the assignment.
            entries: who hands it in; the first is who sent it.
            file_name: its name, for people.
            content: its bytes.
            sha256: their digest.
            deadline_rules: limits the attempts; nothing does when None.
            reopened_at: when a person last gave another attempt.

        Raises:
            RefusedAttempt: there may be no other attempt now; nothing was kept.
            KitFault: the disk or the database fails; nothing was kept.
        """
        try:
            return self._add_hand_in(
                course, assignment, entries, file_name, content, sha256, deadline_rules, reopened_at
            )
        except (Fault, RefusedAttempt):
            with suppress(Fault):  # what ended it is told; a hand-in without its members would be nobody's
                self._session.rollback()
            raise

    def _add_hand_in(
        self,
        course: str,
        assignment: str,
        entries: Sequence[Enrolment],
        file_name: str,
        content: bytes,
        sha256: str,
        deadline_rules: DeadlineRules | None,
        reopened_at: datetime | None,
    ) -> HandIn:
        owner = "+".join(sorted(one.login for one in entries))
        of_owner = and_(
            hand_ins.c.course == encode_name(course),
            hand_ins.c.assignment == assignment,
            hand_ins.c.owner == owner,
        )
        with self._session.transaction():
            numbers = sorted(one.account for one in entries)
            lock = update(enrolments).where(enrolments.c.account.in_(numbers)).values(course=enrolments.c.course)
            self._session.execute(lock)  # one attempt of an owner after the other
            last = self._session.fetch_one(
                select(*COLUMNS).where(of_owner).order_by(hand_ins.c.attempt.desc()).limit(1)
            )
            is_repeated = last is not None and last.sha256 == sha256 and last.state in ("queued", "grading")
            allowance = self._compute_allowance(of_owner, deadline_rules, reopened_at)
            if not is_repeated and allowance.is_open:
                attempt = last.attempt + 1 if last else 1
                values = {
                    "key": secrets.token_urlsafe(18), "course": encode_name(course), "assignment": assignment,
                    "owner": owner, "attempt": attempt, "submission": f"{owner}-{attempt}",
                    "account": entries[0].account, "file_name": encode_name(file_name), "size": len(content),
                    "sha256": sha256, "handed_in": _text(datetime.now(UTC)), "state": "queued", "tries": 0,
                    "worker": "", "lease_until": "", "problem": "", "content": content,
                }  # fmt: skip
                made = self._session.execute(insert(hand_ins).values(**values))
                key = made.inserted_primary_key
                assert key is not None
                rows = [{"hand_in": key[0], "account": number} for number in numbers]
                self._session.execute(insert(hand_in_members), rows)
            row = self._session.fetch_one(
                select(*COLUMNS).where(of_owner).order_by(hand_ins.c.attempt.desc()).limit(1)
            )
        self._session.commit()
        if not is_repeated and not allowance.is_open:
            raise RefusedAttempt(allowance)
        return make_hand_in(row)

    def find_hand_in(self, course: str, key: str, account: int | None = None) -> HandIn | None:
        """Return a hand-in by its key; None if there is none, or it is not one of an account.

        Args:
            course: the course.
            key: its key.
            account: who must have handed it in; anybody when None.
        """
        query = select(*COLUMNS).where(hand_ins.c.course == encode_name(course), hand_ins.c.key == key)
        row = self._session.fetch_one(query if account is None else query.where(_is_member(account)))
        return make_hand_in(row) if row else None

    def list_hand_ins(self, course: str, assignment: str, account: int | None = None) -> list[HandIn]:
        """Return the hand-ins to an assignment, of an account or of all, in the order of their arrival."""
        query = select(*COLUMNS).where(hand_ins.c.course == encode_name(course), hand_ins.c.assignment == assignment)
        query = query if account is None else query.where(_is_member(account))
        return [make_hand_in(row) for row in self._session.fetch_all(query.order_by(hand_ins.c.id))]

    def _compute_allowance(
        self, of_owner: Any, deadline_rules: DeadlineRules | None, reopened_at: datetime | None
    ) -> AttemptAllowance:
        query = select(hand_ins.c.handed_in).where(of_owner, hand_ins.c.state != "failed").order_by(hand_ins.c.id)
        times = [datetime.fromisoformat(row.handed_in) for row in self._session.fetch_all(query)]
        return compute_allowance(deadline_rules or DeadlineRules(), times, reopened_at, datetime.now(UTC))

    def load_content(self, hand_in: HandIn) -> bytes:
        """Return the bytes that were handed in."""
        query = select(hand_ins.c.content).where(hand_ins.c.id == hand_in.id)
        return bytes(self._session.execute(query).scalar_one())

    def count_before(self, hand_in: HandIn) -> int:
        """Return how many hand-ins are graded before this one, those that are graded now among them."""
        this, now = hand_ins.alias("this"), datetime.now(UTC)
        earlier = tuple_(hand_ins.c.tries, hand_ins.c.id) < tuple_(this.c.tries, this.c.id)
        before = or_(_is_held(hand_ins, now), and_(_waits(now), earlier))
        others = and_(this.c.id == hand_in.id, hand_ins.c.id != this.c.id, ~_is_held(this, now))
        query = select(func.count()).select_from(hand_ins, this).where(others, before)
        return int(self._session.execute(query).scalar_one())

    def queue_again(self, *chosen: HandIn) -> None:
        """Have hand-ins graded once more, by what the assignment is now; those that wait stay where they are."""
        ended = and_(hand_ins.c.id.in_([one.id for one in chosen]), hand_ins.c.state.in_(["graded", "failed"]))
        with self._session.transaction():
            self._session.execute(update(hand_ins).where(ended).values(state="queued", tries=0, problem=""))
        self._session.commit()

    def claim_next(self, course: str, worker: str, assignment: str = "") -> HandIn | None:
        """Take the hand-in that is next, for a worker to grade; None if there is none.

        Of one student or team, one hand-in after the other is graded.

        Args:
            course: the course.
            worker: who takes it.
            assignment: the only one that is wanted; the next hand-in is left where it is if it is to another.
        """
        with self._session.transaction():
            now = datetime.now(UTC)
            given_up = and_(_lapsed(now), hand_ins.c.tries >= MOST_TRIES)
            self._session.execute(update(hand_ins).where(given_up).values(state="failed", problem=LOST))
            row = self._session.fetch_one(_next(course, now))
            claimed = None
            if row and assignment in ("", row.assignment):
                taken = update(hand_ins).where(hand_ins.c.id == row.id, _waits(now))
                values: dict[str, Any] = {"state": "grading", "worker": worker, "lease_until": _text(now + LEASE)}
                done = self._session.execute(taken.values(tries=hand_ins.c.tries + 1, **values))
                claimed = make_hand_in(row) if done.rowcount else None
        self._session.commit()
        return claimed

    def find_next_assignment(self, course: str) -> str:
        """Return the assignment of the hand-in that is next; empty if there is none."""
        row = self._session.fetch_one(_next(course, datetime.now(UTC)))
        return str(row.assignment) if row else ""

    def extend_leases(self, worker: str) -> None:
        """Say that a worker is still at what it took."""
        own = and_(hand_ins.c.state == "grading", hand_ins.c.worker == worker)
        with self._session.transaction():
            self._session.execute(update(hand_ins).where(own).values(lease_until=_text(datetime.now(UTC) + LEASE)))
        self._session.commit()

    def release(self, worker: str) -> None:
        """Give back at once what a worker had taken that is not there any more."""
        own = and_(hand_ins.c.state == "grading", hand_ins.c.worker == worker)
        with self._session.transaction():
            self._session.execute(update(hand_ins).where(own).values(worker="", lease_until=""))
        self._session.commit()

    def give_back(self, worker: str) -> None:
        """Queue again what a worker could not grade for a reason that is no hand-in's; it counts as no try."""
        own = and_(hand_ins.c.state == "grading", hand_ins.c.worker == worker)
        values = {"state": "queued", "tries": hand_ins.c.tries - 1, "lease_until": ""}
        with self._session.transaction():
            self._session.execute(update(hand_ins).where(own).values(**values))
        self._session.commit()

    def record_end(self, hand_in: HandIn, problem: str = "") -> None:
        """Record that a hand-in was graded, or why it could not be; on the disk together with its result."""
        state = "failed" if problem else "graded"
        values = {"state": state, "problem": encode_name(problem), "lease_until": ""}
        with self._session.transaction():
            self._session.execute(update(hand_ins).where(hand_ins.c.id == hand_in.id).values(**values))
        self._session.commit()


def _next(course: str, now: datetime) -> Any:
    """Return the query for the hand-in that is next: of those that wait or lost their worker, the first to arrive.

    Those that have cost fewer workers come before the others.
    """
    other = hand_ins.alias("other")
    same_owner = and_(
        *(other.c[name] == hand_ins.c[name] for name in ("course", "assignment", "owner")),
        other.c.id != hand_ins.c.id,
    )
    query = select(*COLUMNS).where(hand_ins.c.course == encode_name(course), _waits(now))
    query = query.where(~exists().where(same_owner, _is_held(other, now)))
    return query.order_by(hand_ins.c.tries, hand_ins.c.id).limit(1)


def _is_held(table: Any, now: datetime) -> Any:
    return and_(table.c.state == "grading", table.c.lease_until > _text(now))


def _waits(now: datetime) -> Any:
    return or_(hand_ins.c.state == "queued", _lapsed(now))


def _lapsed(now: datetime) -> Any:
    return and_(hand_ins.c.state == "grading", hand_ins.c.lease_until <= _text(now))


def _is_member(account: int) -> Any:
    return exists().where(hand_in_members.c.hand_in == hand_ins.c.id, hand_in_members.c.account == account)


def make_hand_in(row: Any) -> HandIn:
    """Return the hand-in that a row with ``COLUMNS`` is."""
    return HandIn(
        row.id, row.key, decode_name(row.course), row.assignment, row.owner, row.attempt, row.submission,
        decode_name(row.file_name), row.size, row.sha256, datetime.fromisoformat(row.handed_in), row.state,
        decode_name(row.problem),
    )  # fmt: skip


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds")


COLUMNS = [column for column in hand_ins.c if column.name not in ("content", "account", "worker", "lease_until")]
