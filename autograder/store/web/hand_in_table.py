"""Store hand-ins from the web: owner, attempt number, bytes, and state of grading."""

from __future__ import annotations

import secrets
from dataclasses import fields
from datetime import datetime
from typing import Any

from sqlalchemy import and_, exists, func, insert, select

from autograder.course.deadline_rules import DeadlineRules
from autograder.lateness import AttemptAllowance, compute_attempt_allowance
from autograder.store.column_encoding import utc_now
from autograder.store.session import StoreSession
from autograder.store.web.hand_in_model import (
    AttemptLimitReached,
    ByteQuotaReached,
    HandIn,
    HandInQueueSummary,
    NewHandIn,
)
from autograder.store.web.mail_table import MailTable
from autograder.store.web.web_table_definitions import enrolments, hand_in_members, hand_ins


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

        If the owner's last hand-in has the same bytes and is ``queued`` or ``grading``, return it (a double click).

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
        is_of_owner = and_(
            hand_ins.c.course == new_hand_in.course,
            hand_ins.c.assignment == new_hand_in.assignment,
            hand_ins.c.owner == new_hand_in.owner,
        )
        newest_query = select(*COLUMNS).where(is_of_owner).order_by(hand_ins.c.attempt.desc()).limit(1)
        with self._session.transaction():
            account_ids = sorted(member.account for member in new_hand_in.members)
            # serializes the attempts of one owner
            self._session.lock_rows(enrolments, enrolments.c.account.in_(account_ids))
            last = self._session.fetch_one_as(HandIn, newest_query)
            if last and last.sha256 == new_hand_in.sha256 and last.state in ("queued", "grading"):
                return last
            allowance = self._compute_allowance(is_of_owner, attempt_limit_rules or DeadlineRules(), reopened_at)
            if max_bytes_of_sender is not None:
                self._require_room(new_hand_in, max_bytes_of_sender)
            if not allowance.may_hand_in_now:
                raise AttemptLimitReached(allowance)
            columns = _make_columns(new_hand_in, last.attempt + 1 if last else 1)
            hand_in_id = self._session.insert_row(hand_ins, turn=self._choose_turn(new_hand_in), **columns)
            rows = [{"hand_in": hand_in_id, "account": account_id} for account_id in account_ids]
            self._session.execute(insert(hand_in_members), rows)
            self._mails.queue_hand_in_mails(new_hand_in.course, hand_in_id, new_hand_in.mails)
            return self._session.fetch_all_as(HandIn, newest_query)[0]

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

    def find_previous_attempt(self, hand_in: HandIn) -> HandIn | None:
        """Return the previous attempt of the same student or team; None if this is the first."""
        same = (
            hand_ins.c.course == hand_in.course,
            hand_ins.c.assignment == hand_in.assignment,
            hand_ins.c.owner == hand_in.owner,
        )
        query = select(*COLUMNS).where(*same, hand_ins.c.attempt < hand_in.attempt)
        return self._session.fetch_one_as(HandIn, query.order_by(hand_ins.c.attempt.desc()).limit(1))

    def list_hand_in_owners(self, course: str, assignment: str) -> list[str]:
        """Return the students and teams who handed in to an assignment."""
        query = select(hand_ins.c.owner).where(hand_ins.c.course == course)
        return [
            row.owner for row in self._session.fetch_all(query.where(hand_ins.c.assignment == assignment).distinct())
        ]

    def _compute_allowance(
        self, is_of_owner: Any, deadline_rules: DeadlineRules, reopened_at: datetime | None
    ) -> AttemptAllowance:
        query = select(hand_ins.c.handed_in).where(is_of_owner, hand_ins.c.state != "failed").order_by(hand_ins.c.id)
        times = [row.handed_in for row in self._session.fetch_all(query)]
        return compute_attempt_allowance(deadline_rules, times, reopened_at, utc_now())

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
            is_of_course, hand_ins.c.state.in_(["queued", "grading"])
        )
        counts = {row.state: row.number for row in self._session.fetch_all(count_query)}
        return HandInQueueSummary(counts, self._session.fetch_value(oldest_query))


def _is_member(account: int) -> Any:
    return exists().where(hand_in_members.c.hand_in == hand_ins.c.id, hand_in_members.c.account == account)


def _make_columns(hand_in: NewHandIn, attempt: int) -> dict[str, Any]:
    return {
        "key": secrets.token_urlsafe(18), "course": hand_in.course, "assignment": hand_in.assignment,
        "owner": hand_in.owner, "attempt": attempt, "submission": f"{hand_in.owner}-{attempt}",
        "account": hand_in.members[0].account, "file_name": hand_in.file_name, "size": len(hand_in.content),
        "sha256": hand_in.sha256, "handed_in": hand_in.handed_in or utc_now(), "content": hand_in.content,
        "is_behind": hand_in.is_import,
    }  # fmt: skip


COLUMNS = tuple(hand_ins.c[field.name] for field in fields(HandIn))
"""The columns of a ``HandIn``, which are named as its fields."""
