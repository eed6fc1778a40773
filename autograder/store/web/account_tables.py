"""Store accounts, their roles in courses, personal sign-in links, and signed-in browsers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from sqlalchemy import and_, delete, insert, select, update

from autograder.store.column_encoding import decode_text, encode_now, encode_text, encode_time
from autograder.store.session import StorePart
from autograder.store.web.web_table_definitions import accounts, enrolments, invitations, sign_ins

Role = Literal["student", "teaching assistant", "instructor", "administrator"]


@dataclass(frozen=True, slots=True)
class Enrolment:
    """An account, and its role in one course."""

    account: int
    login: str
    name: str
    """The person's name; the login if no name was given."""
    role: Role
    team: str = ""
    """Students of the same team hand in together; empty for those who work alone."""

    @property
    def audit_account(self) -> str:
        """Return what the audit log calls the account, such as ``web:ada``."""
        return f"web:{self.login}"


class AccountTables(StorePart):
    """Accounts, their enrolments in courses, personal links, and browser sessions.

    Tokens are passed and stored as their SHA-256; see ``web.random_tokens``.
    """

    def upsert_enrolment(
        self, course: str, login: str, role: Role, person_name_if_known: str = "", team: str = ""
    ) -> Enrolment:
        """Make an account if there is none, and set its role and team in a course; an empty name changes no name."""
        with self._session.transaction():
            row = self._session.fetch_one(select(accounts).where(accounts.c.login == login))
            name = person_name_if_known or (decode_text(row.name) if row else login)
            if row is None:
                values = {"login": login, "name": encode_text(name), "made_at": encode_now()}
                account_id = self._session.execute(
                    insert(accounts).values(**values).returning(accounts.c.id)
                ).scalar_one()
            else:
                account_id = row.id
                if person_name_if_known:
                    query = update(accounts).where(accounts.c.id == account_id)
                    self._session.execute(query.values(name=encode_text(name)))
                condition = and_(enrolments.c.account == account_id, enrolments.c.course == encode_text(course))
                self._session.execute(delete(enrolments).where(condition))
            values = {"account": account_id, "course": encode_text(course), "role": role, "team": encode_text(team)}
            self._session.execute(insert(enrolments).values(**values))
        return Enrolment(account_id, login, name, role, team)

    def find_enrolment(self, course: str, login: str) -> Enrolment | None:
        """Return an account's enrolment in a course by its login; None if it is not enrolled there."""
        row = self._session.fetch_one(_make_enrolment_query(course).where(accounts.c.login == login))
        return _make_enrolment(row) if row else None

    def get_login(self, account_id: int) -> str:
        """Return the login of an account; empty if there is no such account."""
        row = self._session.fetch_one(select(accounts.c.login).where(accounts.c.id == account_id))
        return str(row.login) if row else ""

    def has_login(self, login: str) -> bool:
        """Return whether a login has an account, in any course."""
        return self._session.fetch_one(select(accounts.c.id).where(accounts.c.login == login)) is not None

    def list_enrolments(self, course: str, team: str = "") -> list[Enrolment]:
        """Return everybody in a course, or in one of its teams, by login."""
        query = _make_enrolment_query(course).order_by(accounts.c.login)
        rows = self._session.fetch_all(query.where(enrolments.c.team == encode_text(team)) if team else query)
        return [_make_enrolment(row) for row in rows]

    def list_students(self, course: str, team: str = "") -> list[Enrolment]:
        """Return the students in a course, or in one of its teams, by login."""
        return [person for person in self.list_enrolments(course, team) if person.role == "student"]

    def replace_invitation(self, account_id: int, token_sha256: str, lifetime: timedelta) -> None:
        """Save the personal link of an account, and revoke an earlier one that is unused."""
        now = datetime.now(UTC)
        values = {
            "made_at": encode_time(now),
            "expires_at": encode_time(now + lifetime),
            "used_at": "",
            "revoked_at": "",
        }
        with self._session.transaction():
            self._revoke_links(account_id)
            self._session.execute(insert(invitations).values(token=token_sha256, account=account_id, **values))

    def find_invited_account(self, token_sha256: str) -> int | None:
        """Return the account of a link that still works; None if there is none."""
        row = self._session.fetch_one(select(invitations.c.account).where(_is_usable(token_sha256)))
        return int(row.account) if row else None

    def try_redeem_invitation(self, token_sha256: str) -> int | None:
        """Redeem a link, and return its account; None if it is invalid. Of two simultaneous uses, one succeeds."""
        with self._session.transaction():
            query = (
                update(invitations)
                .where(_is_usable(token_sha256))
                .values(used_at=encode_now())
                .returning(invitations.c.account)
            )
            row = self._session.fetch_one(query)
        return int(row.account) if row else None

    def revoke_invitation_and_sign_ins(self, account_id: int) -> None:
        """End what an account can sign in with: its link and its browser sessions."""
        with self._session.transaction():
            self._revoke_links(account_id)
            self._session.execute(delete(sign_ins).where(sign_ins.c.account == account_id))

    def add_sign_in(self, account_id: int, token_sha256: str, lifetime: timedelta) -> None:
        """Save the sign-in of a browser, and delete expired ones."""
        now = datetime.now(UTC)
        with self._session.transaction():
            self._session.execute(delete(sign_ins).where(sign_ins.c.expires_at <= encode_time(now)))
            values = {
                "token": token_sha256,
                "account": account_id,
                "made_at": encode_time(now),
                "expires_at": encode_time(now + lifetime),
            }
            self._session.execute(insert(sign_ins).values(**values))

    def find_signed_in_enrolment(self, course: str, token_sha256: str) -> Enrolment | None:
        """Return the enrolment in a course of the account that a token signs in; None if there is none."""
        query = _make_enrolment_query(course).join(sign_ins, sign_ins.c.account == accounts.c.id)
        row = self._session.fetch_one(
            query.where(sign_ins.c.token == token_sha256, sign_ins.c.expires_at > encode_now())
        )
        return _make_enrolment(row) if row else None

    def sign_out(self, token_sha256: str) -> None:
        """Delete the sign-in with this token, if there is one: its browser is signed out."""
        self._session.execute_and_commit(delete(sign_ins).where(sign_ins.c.token == token_sha256))

    def find_enrolment_by_account(self, course: str, account_id: int) -> Enrolment | None:
        """Return an account's enrolment in a course by its number; None if it is not enrolled there."""
        row = self._session.fetch_one(_make_enrolment_query(course).where(accounts.c.id == account_id))
        return _make_enrolment(row) if row else None

    def list_team_members(self, course: str, student: Enrolment) -> Sequence[Enrolment]:
        """Return the students with whom a student hands in, by login: the whole team, or the student alone."""
        if not student.team:
            return [student]
        return self.list_students(course, student.team)

    def _revoke_links(self, account_id: int) -> None:
        is_unused = and_(
            invitations.c.account == account_id, invitations.c.used_at == "", invitations.c.revoked_at == ""
        )
        self._session.execute(update(invitations).where(is_unused).values(revoked_at=encode_now()))


def _make_enrolment_query(course: str) -> Any:
    columns = (accounts.c.id, accounts.c.login, accounts.c.name, enrolments.c.role, enrolments.c.team)
    query = select(*columns).join(enrolments, enrolments.c.account == accounts.c.id)
    return query.where(enrolments.c.course == encode_text(course))


def _make_enrolment(row: Any) -> Enrolment:
    return Enrolment(row.id, row.login, decode_text(row.name), row.role, decode_text(row.team))


def _is_usable(token: str) -> Any:
    columns = invitations.c
    is_unused = and_(columns.used_at == "", columns.revoked_at == "", columns.expires_at > encode_now())
    return and_(columns.token == token, is_unused)
