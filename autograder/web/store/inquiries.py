"""Store students' inquiries about their results, the staff's answers, and who has read them.

An inquiry is about one test of one attempt, or about its whole result. It is ``open`` while the staff has to answer,
then ``answered``, and ``closed`` once either side closes it; another question opens it again.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Literal

from sqlalchemy import Integer, and_, bindparam, exists, func, select, update

from autograder.store.audit import AuditContext, AuditEvent, AuditLog
from autograder.store.session import StoreSession
from autograder.store.tables import SurrogateText, utc_now
from autograder.web.store.accounts import Enrolment
from autograder.web.store.hand_ins import HandIn
from autograder.web.store.mails import MailTable
from autograder.web.store.tables import (
    accounts,
    hand_in_members,
    hand_ins,
    inquiries,
    inquiry_entries,
    inquiry_readers,
)

InquiryState = Literal["open", "answered", "closed"]
InquiryEventKind = Literal["question", "answer", "closing"]
STATE_AFTER: dict[InquiryEventKind, InquiryState] = {"question": "open", "answer": "answered", "closing": "closed"}


@dataclass(frozen=True, slots=True)
class InquirySummary:
    """An inquiry about a result; its history is loaded separately."""

    id: int
    key: str
    """Names it in addresses; cannot be guessed."""
    hand_in_key: str
    assignment: str
    owner: str
    """The login of the student, or the logins of the team, ``ada,bob``."""
    attempt: int
    submission: str
    test: str
    """The test's id as in the report; empty if the inquiry is about the whole result."""
    state: InquiryState
    changed_at: datetime
    last_event: int
    """The number of the last event of its history."""
    unread: bool = False
    """Whether there is an answer that the student who requests the list has not read."""


@dataclass(frozen=True, slots=True)
class InquiryEvent:
    """One step in the history of an inquiry."""

    id: int
    account: int
    login: str
    name: str
    kind: InquiryEventKind
    text: str
    written_at: datetime


@cache
def make_inquiry_query(*, is_of_reader: bool) -> Any:
    """Return the query for the inquiries of the course ``of``, with their last events, and unread by ``reader``.

    The query is built once and cached: every page runs it, and building takes longer than running.

    Args:
        is_of_reader: whether only those about hand-ins of the account ``reader`` are wanted.
    """
    reader = bindparam("reader", type_=Integer)
    last_event = (
        select(func.max(inquiry_entries.c.id)).where(inquiry_entries.c.inquiry == inquiries.c.id).scalar_subquery()
    )
    last_answer = (
        select(func.max(inquiry_entries.c.id))
        .where(inquiry_entries.c.inquiry == inquiries.c.id, inquiry_entries.c.kind != "question")
        .scalar_subquery()
    )
    last_read = (
        select(inquiry_readers.c.last_read)
        .where(inquiry_readers.c.inquiry == inquiries.c.id, inquiry_readers.c.account == reader)
        .scalar_subquery()
    )
    unread = func.coalesce(last_answer, 0) > func.coalesce(last_read, 0)
    query = select(
        *(inquiries.c[name] for name in ("id", "key", "test", "state", "changed_at")),
        *(hand_ins.c[name] for name in ("assignment", "owner", "attempt", "submission")),
        hand_ins.c.key.label("hand_in_key"),
        func.coalesce(last_event, 0).label("last_event"),
        unread.label("unread"),
    )
    query = query.join(hand_ins, hand_ins.c.id == inquiries.c.hand_in)
    query = query.where(hand_ins.c.course == bindparam("of", type_=SurrogateText))
    if not is_of_reader:
        return query
    is_shared = exists().where(hand_in_members.c.hand_in == hand_ins.c.id, hand_in_members.c.account == reader)
    return query.where(is_shared)


class InquiryTable:
    """The inquiries of a store. Raises ``KitFault`` wherever the database fails."""

    def __init__(self, session: StoreSession, audit: AuditLog, mails: MailTable) -> None:
        self._session, self._audit, self._mails = session, audit, mails

    def open_or_join_inquiry(
        self, hand_in: HandIn, test_id_or_empty: str, asked_by: Enrolment, question: str
    ) -> InquirySummary:
        """Open an inquiry about a test or a whole hand-in; add the question to an existing inquiry about the same.

        Args:
            hand_in: one of the student's own.
            test_id_or_empty: the test's id; empty for the whole result.
            asked_by: who asks.
            question: the text.
        """
        condition = and_(inquiries.c.hand_in == hand_in.id, inquiries.c.test == test_id_or_empty)
        with self._session.transaction():
            # serializes simultaneous questions, so that the second joins the first
            self._session.lock_rows(hand_ins, hand_ins.c.id == hand_in.id)
            if self._find(hand_in.course, None, condition) is None:
                values = {"key": secrets.token_urlsafe(18), "hand_in": hand_in.id, "test": test_id_or_empty}
                self._session.insert_row(inquiries, **values, state="closed")
            inquiry = self._get(hand_in.course, condition)
            self._add_event(hand_in.course, inquiry, asked_by, "question", question)
            return self._get(hand_in.course, condition)

    def add_entry_unless_outdated(
        self,
        course: str,
        inquiry: InquirySummary,
        written_by: Enrolment,
        kind: InquiryEventKind,
        text: str,
        *,
        with_mail_to_students: bool = False,
    ) -> bool:
        """Add a question, an answer or the end to an inquiry.

        Args:
            course: the course.
            inquiry: the inquiry as the writer saw it; a newer event means that somebody else wrote meanwhile.
            written_by: who writes.
            kind: what is written.
            text: the text; may be empty if the event closes the inquiry.
            with_mail_to_students: whether those who handed it in get a mail.

        Returns:
            Whether it was kept; False if somebody else wrote meanwhile.
        """
        with self._session.transaction():
            self._session.lock_rows(inquiries, inquiries.c.id == inquiry.id)
            current_inquiry = self._get(course, inquiries.c.id == inquiry.id)
            is_kept = current_inquiry.last_event == inquiry.last_event
            if is_kept:
                self._add_event(course, current_inquiry, written_by, kind, text)
                if with_mail_to_students:
                    self._mails.queue_inquiry_answer_mails(course, inquiry.id)
        return is_kept

    def find_inquiry(self, course: str, inquiry_key: str, account_id: int | None = None) -> InquirySummary | None:
        """Return an inquiry by its key; None if it does not exist, or is not about the given account's hand-in.

        Args:
            course: the course.
            inquiry_key: its key.
            account_id: whose hand-in it must be about; anybody's when None.
        """
        return self._find(course, account_id, inquiries.c.key == inquiry_key)

    def list_inquiries(
        self, course: str, account_id: int | None = None, hand_in_key: str = ""
    ) -> list[InquirySummary]:
        """Return inquiries: open ones first, the oldest on top; then the others, the newest on top.

        Args:
            course: the course.
            account_id: whose hand-ins they are about; anybody's when None.
            hand_in_key: the key of the only hand-in that is wanted.
        """
        query = make_inquiry_query(is_of_reader=account_id is not None)
        query = query.where(hand_ins.c.key == hand_in_key) if hand_in_key else query
        summaries = self._session.fetch_all_as(InquirySummary, query, {"of": course, "reader": account_id})
        open_inquiries = sorted(
            (inquiry for inquiry in summaries if inquiry.state == "open"), key=lambda inquiry: inquiry.changed_at
        )
        other_inquiries = [inquiry for inquiry in summaries if inquiry.state != "open"]
        return open_inquiries + sorted(
            other_inquiries, key=lambda inquiry: (inquiry.state == "answered", inquiry.changed_at), reverse=True
        )

    def load_events(self, inquiry: InquirySummary) -> list[InquiryEvent]:
        """Return the history of an inquiry in its order."""
        names = ("id", "account", "kind", "text", "written_at")
        query = select(*(inquiry_entries.c[name] for name in names), accounts.c.login, accounts.c.name)
        query = query.join(accounts, accounts.c.id == inquiry_entries.c.account)
        query = query.where(inquiry_entries.c.inquiry == inquiry.id).order_by(inquiry_entries.c.id)
        return self._session.fetch_all_as(InquiryEvent, query)

    def record_read_by_student(self, inquiry: InquirySummary, account: int) -> None:
        """Record that a student has read the whole of an inquiry."""
        condition = and_(inquiry_readers.c.inquiry == inquiry.id, inquiry_readers.c.account == account)
        last_read = self._session.fetch_value(select(inquiry_readers.c.last_read).where(condition))
        if last_read is not None and last_read >= inquiry.last_event:
            return
        with self._session.transaction():
            self._session.lock_rows(inquiries, inquiries.c.id == inquiry.id)
            self._mark_read(inquiry.id, account, inquiry.last_event)

    def count_open_inquiries(self, course: str) -> int:
        """Return how many inquiries wait for the staff."""
        query = select(func.count()).select_from(inquiries).join(hand_ins, hand_ins.c.id == inquiries.c.hand_in)
        query = query.where(hand_ins.c.course == course, inquiries.c.state == "open")
        return int(self._session.execute(query).scalar_one())

    def count_unread_answers(self, course: str, account: int) -> int:
        """Return how many inquiries have an answer that a student has not read yet."""
        return sum(inquiry.unread for inquiry in self.list_inquiries(course, account))

    def _find(self, course: str, account: int | None, condition: Any) -> InquirySummary | None:
        query = make_inquiry_query(is_of_reader=account is not None).where(condition)
        return self._session.fetch_one_as(InquirySummary, query, {"of": course, "reader": account})

    def _get(self, course: str, condition: Any) -> InquirySummary:
        inquiry = self._find(course, None, condition)
        assert inquiry is not None
        return inquiry

    def _add_event(
        self, course: str, inquiry: InquirySummary, person: Enrolment, kind: InquiryEventKind, text: str
    ) -> None:
        """Write an event, the state after it, and the row of the audit table, in the caller's transaction."""
        last_event = self._session.fetch_one(
            select(inquiry_entries)
            .where(inquiry_entries.c.inquiry == inquiry.id)
            .order_by(inquiry_entries.c.id.desc())
            .limit(1)
        )
        if last_event and (last_event.account, last_event.kind, last_event.text) == (person.account, kind, text):
            return  # a double click
        now, state = utc_now(), STATE_AFTER[kind]
        values = {"account": person.account, "kind": kind, "text": text, "written_at": now}
        event_id = self._session.insert_row(inquiry_entries, inquiry=inquiry.id, **values)
        is_inquiry = inquiries.c.id == inquiry.id
        self._session.execute(update(inquiries).where(is_inquiry).values(state=state, changed_at=now))
        self._mark_read(inquiry.id, person.account, event_id)
        action = AuditContext("inquiry", person.audit_account, "", course, inquiry.assignment)
        event = AuditEvent(
            changed_item="inquiry",
            target=inquiry.test,
            student_label=inquiry.submission,
            submission=inquiry.submission,
            before=inquiry.state if last_event else "",
            after=state,
            platform_state_before=f"inquiry {inquiry.id}",
            reason=text,
        )
        self._audit.add_events(action, [event], "decided", person.name)

    def _mark_read(self, inquiry: int, account: int, event: int) -> None:
        self._session.update_or_insert(inquiry_readers, {"inquiry": inquiry, "account": account}, last_read=event)
