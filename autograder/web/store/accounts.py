"""Store accounts, their roles in courses, personal sign-in links, and signed-in browsers."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import and_, delete, func, insert, or_, select, update

from autograder.store.session import StorePart
from autograder.store.tables import utc_now
from autograder.web.store.tables import accounts, enrolments, invitations, mail_settings, sign_ins

Role = Literal["student", "teaching assistant", "instructor", "administrator"]


RENEWED_EVERY = timedelta(days=1)


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
    section: str = ""
    """The part of the course that a student is in, or whose students alone an assistant sees; several with commas."""
    seen_at: datetime | None = field(default=None, compare=False)
    """When they were last seen on the web, to the hour."""
    ended_at: datetime | None = None
    """When the staff ended their access; None while they have it."""

    @property
    def sections(self) -> frozenset[str]:
        """Return the sections one by one."""
        return frozenset(filter(None, map(str.strip, self.section.split(","))))

    def is_in_section(self, section: str) -> bool:
        """Return whether the person is in a section; everybody is where none is asked for."""
        return not section or section in self.sections

    @property
    def audit_account(self) -> str:
        """Return what the audit log calls the account, such as ``web:ada``."""
        return f"web:{self.login}"


def hash_token(token: str) -> str:
    """Return the digest of a token that is kept; it needs no salt, because 256 random bits cannot be guessed."""
    return hashlib.sha256(token.encode()).hexdigest()


class AccountTables(StorePart):
    """Accounts, their enrolments in courses, personal links, and browser sessions.

    Tokens are stored as their SHA-256.
    """

    def upsert_enrolment(
        self, course: str, login: str, role: Role, person_name_if_known: str = "", team: str = ""
    ) -> Enrolment:
        """Make an account if there is none, and set its role and team in a course; an empty name changes no name."""
        with self._session.transaction():
            row = self._session.fetch_one(select(accounts).where(accounts.c.login == login))
            name = person_name_if_known or (row.name if row else login)
            if row is None:
                account_id = self._session.insert_row(accounts, login=login, name=name)
            else:
                account_id = row.id
                self._session.execute(update(accounts).where(accounts.c.id == account_id).values(name=name))
            key = {"account": account_id, "course": course}
            self._session.update_or_insert(enrolments, key, role=role, team=team)
        return Enrolment(account_id, login, name, role, team)

    def find_enrolment(self, course: str, login: str) -> Enrolment | None:
        """Return an account's enrolment in a course by its login; None if it is not enrolled there."""
        return self._session.fetch_one_as(Enrolment, _make_enrolment_query(course).where(accounts.c.login == login))

    def find_enrolments_by_address(self, course: str, address: str) -> list[Enrolment]:
        """Return everybody in a course whose login or mail address that is; letters may be large or small."""
        query = _make_enrolment_query(course).join(
            mail_settings, mail_settings.c.account == accounts.c.id, isouter=True
        )
        is_theirs = or_(accounts.c.login == address.lower(), func.lower(mail_settings.c.address) == address.lower())
        return self._session.fetch_all_as(Enrolment, query.where(is_theirs).order_by(accounts.c.login))

    def get_login(self, account_id: int) -> str:
        """Return the login of an account; empty if there is no such account."""
        return self._session.fetch_value(select(accounts.c.login).where(accounts.c.id == account_id)) or ""

    def has_login(self, login: str) -> bool:
        """Return whether a login has an account, in any course."""
        return self._session.fetch_one(select(accounts.c.id).where(accounts.c.login == login)) is not None

    def list_enrolments(self, course: str, team: str = "") -> list[Enrolment]:
        """Return everybody in a course, or in one of its teams, by login."""
        query = _make_enrolment_query(course).order_by(accounts.c.login)
        return self._session.fetch_all_as(Enrolment, query.where(enrolments.c.team == team) if team else query)

    def list_students(self, course: str, team: str = "") -> list[Enrolment]:
        """Return the students in a course, or in one of its teams, by login."""
        return [person for person in self.list_enrolments(course, team) if person.role == "student"]

    def replace_invitation(self, account_id: int, token: str, lifetime: timedelta) -> None:
        """Save the personal link of an account, and revoke an earlier one that is unused."""
        with self._session.transaction():
            self._revoke_links(account_id)
            self.add_invitation(account_id, token, lifetime)

    def add_invitation(self, account_id: int, token: str, lifetime: timedelta) -> None:
        """Save a personal link of an account beside those that it has."""
        values = {"token": hash_token(token), "account": account_id, "expires_at": utc_now() + lifetime}
        with self._session.transaction():
            self._session.insert_row(invitations, **values)

    def find_invited_account(self, token: str) -> int | None:
        """Return the account of a link that still works; None if there is none."""
        account_id: int | None = self._session.fetch_value(select(invitations.c.account).where(_is_usable(token)))
        return account_id

    def try_redeem_invitation(self, token: str) -> int | None:
        """Redeem a link, and return its account; None if it is invalid. Of two simultaneous uses, one succeeds."""
        query = update(invitations).where(_is_usable(token)).values(used_at=utc_now())
        with self._session.transaction():
            account_id: int | None = self._session.fetch_value(query.returning(invitations.c.account))
        return account_id

    def revoke_invitation_and_sign_ins(self, account_id: int) -> None:
        """End what an account can sign in with: its link and its browser sessions."""
        with self._session.transaction():
            self._revoke_links(account_id)
            self._session.execute(delete(sign_ins).where(sign_ins.c.account == account_id))

    def add_sign_in(self, account_id: int, token: str, lifetime: timedelta, *, is_shell: bool = False) -> None:
        """Save the sign-in of a browser or a shell, and delete expired ones."""
        now = utc_now()
        values = {
            "token": hash_token(token),
            "account": account_id,
            "is_shell": is_shell,
            "expires_at": now + lifetime,
        }
        with self._session.transaction():
            self._session.execute(delete(sign_ins).where(sign_ins.c.expires_at <= now))
            self._session.execute(insert(sign_ins).values(**values))

    def find_signed_in_enrolment(self, course: str, token: str, *, is_shell: bool = False) -> Enrolment | None:
        """Return the enrolment in a course of the account that a token signs in; None if there is none."""
        query = _make_enrolment_query(course).join(sign_ins, sign_ins.c.account == accounts.c.id)
        is_valid = and_(sign_ins.c.is_shell == is_shell, sign_ins.c.expires_at > utc_now())
        return self._session.fetch_one_as(Enrolment, query.where(sign_ins.c.token == hash_token(token), is_valid))

    def renew_sign_in(self, token: str, lifetime: timedelta) -> None:
        """Have the sign-in of a browser end later, as long as it is used; written at most once a day."""
        end, is_it = utc_now() + lifetime, sign_ins.c.token == hash_token(token)
        ends_at = self._session.fetch_value(select(sign_ins.c.expires_at).where(is_it))
        if ends_at is not None and end - ends_at > RENEWED_EVERY:
            self._session.execute_and_commit(update(sign_ins).where(is_it).values(expires_at=end))

    def count_sign_ins(self, account_id: int, *, is_shell: bool) -> int:
        """Return in how many browsers, or shells, an account is signed in now."""
        query = select(func.count()).where(
            sign_ins.c.account == account_id, sign_ins.c.is_shell == is_shell, sign_ins.c.expires_at > utc_now()
        )
        return int(self._session.fetch_value(query))

    def sign_out(self, token: str) -> None:
        """Delete the sign-in with this token, if there is one: its browser is signed out."""
        self._session.execute_and_commit(delete(sign_ins).where(sign_ins.c.token == hash_token(token)))

    def find_enrolment_by_account(self, course: str, account_id: int) -> Enrolment | None:
        """Return an account's enrolment in a course by its number; None if it is not enrolled there."""
        return self._session.fetch_one_as(Enrolment, _make_enrolment_query(course).where(accounts.c.id == account_id))

    def list_team_members(self, course: str, student: Enrolment) -> Sequence[Enrolment]:
        """Return the students with whom a student hands in, by login: the whole team, or the student alone."""
        if not student.team:
            return [student]
        return self.list_students(course, student.team)

    def _revoke_links(self, account_id: int) -> None:
        query = update(invitations).where(invitations.c.account == account_id, IS_UNUSED)
        self._session.execute(query.values(revoked_at=utc_now()))


IS_UNUSED = and_(invitations.c.used_at.is_(None), invitations.c.revoked_at.is_(None))


def _make_enrolment_query(course: str) -> Any:
    columns = (
        accounts.c.id.label("account"),
        accounts.c.login,
        accounts.c.name,
        enrolments.c.role,
        *(enrolments.c[name] for name in ("team", "section", "seen_at", "ended_at")),
    )
    query = select(*columns).join(enrolments, enrolments.c.account == accounts.c.id)
    return query.where(enrolments.c.course == course)


def _is_usable(token: str) -> Any:
    return and_(invitations.c.token == hash_token(token), IS_UNUSED, invitations.c.expires_at > utc_now())
