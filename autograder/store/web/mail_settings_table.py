"""Keep where people get mail, and which kinds of it they do not want."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal, get_args

from sqlalchemy import select

from autograder.store.session import StorePart
from autograder.store.web.web_table_definitions import accounts, mail_settings

MailKind = Literal["receipt", "result", "answer"]
KINDS: tuple[MailKind, ...] = get_args(MailKind)


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
        return make_recipient_settings(row) if row else MailRecipientSettings("")

    def save_address(self, account_id: int, address: str) -> None:
        """Say where an account gets mail."""
        self._save_settings(account_id, address=address)

    def save_unwanted_mail_kinds(self, account_id: int, kinds: Collection[str]) -> None:
        """Say which mails an account does not want."""
        self._save_settings(account_id, unwanted=" ".join(kind for kind in KINDS if kind in kinds))

    def _save_settings(self, account_id: int, **values: str) -> None:
        with self._session.transaction():
            self._session.update_or_insert(mail_settings, {"account": account_id}, **values)


def make_recipient_settings(row: Any) -> MailRecipientSettings:
    """Return settings from a row with ``login``, ``address`` and ``unwanted``; a login may be an address itself."""
    login_address = row.login if "@" in row.login else ""
    return MailRecipientSettings(row.address or login_address, frozenset((row.unwanted or "").split()))
