"""Store where people get mail, and mails until they are sent.

Each mail is queued in the transaction of its event, so that none is lost or doubled. It is ``waiting`` until the
worker sends it, then ``sent``, ``failed``, or ``dropped`` if it is unwanted, has no address, or its assignment is
gone. While it is being sent, its due time lies a little later, so that the next worker retries it if this one is
killed.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, get_args

from sqlalchemy import and_, case, func, insert, literal, or_, select, update

from autograder.store.session import StorePart
from autograder.store.tables import UtcTime, utc_now
from autograder.web.store.tables import accounts, hand_in_members, hand_ins, inquiries, mail_settings, mails

MailKind = Literal["receipt", "result", "answer"]
"""The kinds that people can turn off."""
KINDS: tuple[MailKind, ...] = get_args(MailKind)
LinkKind = Literal["sign-in", "invitation"]
"""Mails with a personal link: one that somebody asked for, or one by which the staff invites them."""
LINKS_AN_HOUR = 3
"""Mails with a link of one kind that one account gets within an hour, whoever asks for them."""


@dataclass(frozen=True, slots=True)
class MailRecipientSettings:
    """A person's mail address, and the mails that they get."""

    address: str
    """Empty where none is known."""
    unwanted: frozenset[str] = frozenset()


class MailSettingsTable(StorePart):
    """The mail settings of accounts."""

    def load_recipient_settings(self, account_id: int) -> MailRecipientSettings:
        """Return where an account gets mail, and which."""
        query = select(accounts.c.login, mail_settings.c.address, mail_settings.c.unwanted)
        query = query.join(mail_settings, mail_settings.c.account == accounts.c.id, isouter=True)
        row = self._session.fetch_one(query.where(accounts.c.id == account_id))
        return _make_recipient_settings(row) if row else MailRecipientSettings("")

    def save_address(self, account_id: int, address: str) -> None:
        """Say where an account gets mail."""
        self._save_settings(account_id, address=address)

    def save_unwanted_mail_kinds(self, account_id: int, kinds: Collection[str]) -> None:
        """Say which mails an account does not want."""
        self._save_settings(account_id, unwanted=" ".join(kind for kind in KINDS if kind in kinds))

    def _save_settings(self, account_id: int, **values: str) -> None:
        with self._session.transaction():
            self._session.update_or_insert(mail_settings, {"account": account_id}, **values)


def _make_recipient_settings(row: Any) -> MailRecipientSettings:
    """Return settings from a row with ``login``, ``address`` and ``unwanted``; a login may be an address itself."""
    login_address = row.login if "@" in row.login else ""
    return MailRecipientSettings(row.address or login_address, frozenset((row.unwanted or "").split()))


SENDING = timedelta(minutes=5)
"""How long a worker may take over one mail before another one sends it."""
MOST_TRIES = 12
"""Tries before a mail is given up; the waits between them add up to some 20 hours."""


@dataclass(frozen=True, slots=True)
class QueuedMail:
    """A queued mail to one person: its kind, and the hand-in or inquiry it is about.

    Its text is written when it is sent: a link to sign in is made only then, so no secret waits in the store.
    """

    id: int
    key: str
    """Gives the message the same id at each try."""
    kind: MailKind | LinkKind
    account: int
    login: str
    tries: int
    address: str
    """Empty where none is known."""
    is_wanted: bool
    hand_in_key: str
    """Empty where it is about no hand-in, as is what follows."""
    inquiry_key: str
    """Empty where it is about no inquiry."""
    assignment: str
    submission: str
    attempt: int
    file_name: str
    sha256: str
    handed_in: datetime | None


class MailTable(StorePart):
    """The queue of mails."""

    def queue_hand_in_mails(self, course: str, hand_in_id: int, kinds: Iterable[MailKind]) -> None:
        """Queue mails to every member of one hand-in, without asking which kinds they turned off.

        Those are dropped when they are due. This is part of the caller's transaction: nothing is committed here.
        """
        self._queue_mails(course, hand_in_id, None, kinds)

    def queue_inquiry_answer_mails(self, course: str, inquiry_id: int) -> None:
        """Queue mails that an inquiry has an answer, in the caller's transaction."""
        row = self._session.fetch_one(select(inquiries.c.hand_in).where(inquiries.c.id == inquiry_id))
        if row:
            self._queue_mails(course, row.hand_in, inquiry_id, ["answer"])

    def queue_link_mail(self, course: str, account: int, kind: LinkKind) -> None:
        """Queue a mail with a personal link, unless the account got enough of them within the last hour."""
        query = select(func.count()).where(mails.c.account == account, mails.c.kind == kind)
        with self._session.transaction():
            if (
                self._session.fetch_value(query.where(mails.c.due_at > utc_now() - timedelta(hours=1)))
                < LINKS_AN_HOUR
            ):
                key = secrets.token_urlsafe(18)
                self._session.insert_row(mails, key=key, course=course, account=account, kind=kind)

    def try_claim_due_mail(self, course: str, now: datetime) -> QueuedMail | None:
        """Claim the next due mail; None if there is none. A mail about a result is due only once it is graded."""
        is_past = mails.c.due_at <= now
        is_due = and_(mails.c.state == "waiting", or_(is_past, _is_clock_put_back(now)))
        is_ready = or_(mails.c.kind != "result", hand_ins.c.state == "graded")
        query = _make_query().where(mails.c.course == course, is_due, is_ready)
        with self._session.transaction():
            row = self._session.fetch_one(query.order_by(mails.c.due_at, mails.c.id).limit(1))
            mail_row = None
            if row:
                claim_query = update(mails).where(mails.c.id == row.id, is_due)
                values = {"due_at": now + SENDING, "tries": mails.c.tries + 1}
                mail_row = row if self._session.execute(claim_query.values(**values)).rowcount else None
        return _make_mail(mail_row) if mail_row else None

    def record_mail_outcome(
        self, mail: QueuedMail, state: Literal["sent", "dropped", "failed"], problem: str = ""
    ) -> None:
        """Record what became of a mail."""
        query = update(mails).where(mails.c.id == mail.id)
        self._session.execute_and_commit(query.values(state=state, problem=problem))

    def put_off(self, mail: QueuedMail, until: datetime, problem: str = "", *, counts_as_try: bool = True) -> None:
        """Try a mail again later.

        Args:
            mail: the mail.
            until: when it is tried again.
            problem: why it was not sent.
            counts_as_try: False if the delay is not the mail's fault; the try counted at the claim is then
                subtracted again.
        """
        values = {"due_at": until, "problem": problem, "tries": mails.c.tries - (not counts_as_try)}
        self._session.execute_and_commit(update(mails).where(mails.c.id == mail.id).values(**values))

    def count_by_state(self, course: str) -> dict[str, int]:
        """Return how many mails there are, by their state."""
        query = select(mails.c.state, func.count().label("number")).where(mails.c.course == course)
        return {row.state: row.number for row in self._session.fetch_all(query.group_by(mails.c.state))}

    def _queue_mails(self, course: str, hand_in: int, inquiry: int | None, kinds: Iterable[MailKind]) -> None:
        members = self._session.fetch_all(
            select(hand_in_members.c.account).where(hand_in_members.c.hand_in == hand_in)
        )
        rows = [
            {
                "key": secrets.token_urlsafe(18), "course": course, "account": member.account,
                "hand_in": hand_in, "inquiry": inquiry, "kind": kind,
            }
            for member in members
            for kind in kinds
        ]  # fmt: skip
        if rows:
            self._session.execute(insert(mails), rows)


def compute_retry_delay(tries: int) -> timedelta:
    """Return how long to wait after some tries.

    >>> [compute_retry_delay(tries).total_seconds() / 60 for tries in (1, 2, 3, 12)]
    [1.0, 2.0, 4.0, 360.0]
    """
    return timedelta(minutes=min(2 ** (tries - 1), 360))


def _is_clock_put_back(now: datetime) -> Any:
    """Return whether a mail is due twice as late as a mail of so many tries ever is: the clock was put back since.

    Twice, because the clocks of two workers may differ a little.
    """
    waits = [max(SENDING, compute_retry_delay(tries)) for tries in range(MOST_TRIES + 1)]
    limits = [literal(now + 2 * wait, UtcTime) for wait in waits]
    return mails.c.due_at > case(dict(enumerate(limits)), value=mails.c.tries, else_=limits[-1])


def _make_query() -> Any:
    query = select(
        mails.c.id, mails.c.key, mails.c.kind, mails.c.account, mails.c.tries, accounts.c.login,
        mail_settings.c.address,
        mail_settings.c.unwanted, hand_ins.c.key.label("hand_in_key"), inquiries.c.key.label("inquiry_key"),
        hand_ins.c.assignment, hand_ins.c.submission, hand_ins.c.attempt, hand_ins.c.file_name, hand_ins.c.sha256,
        hand_ins.c.handed_in,
    )  # fmt: skip
    query = query.join(accounts, accounts.c.id == mails.c.account)
    query = query.join(hand_ins, hand_ins.c.id == mails.c.hand_in, isouter=True)
    query = query.join(mail_settings, mail_settings.c.account == mails.c.account, isouter=True)
    return query.join(inquiries, inquiries.c.id == mails.c.inquiry, isouter=True)


def _make_mail(row: Any) -> QueuedMail:
    settings = _make_recipient_settings(row)
    return QueuedMail(
        row.id, row.key, row.kind, row.account, row.login, row.tries + 1, settings.address,
        row.kind not in settings.unwanted, row.hand_in_key or "", row.inquiry_key or "", row.assignment or "",
        row.submission or "", row.attempt or 0, row.file_name or "", row.sha256 or "", row.handed_in,
    )  # fmt: skip
