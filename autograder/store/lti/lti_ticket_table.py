"""Store one-time tickets: for a login (state and nonce), a sign-in from a frame, content selection, registration."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Literal

from sqlalchemy import and_, delete, insert, select

from autograder.store.column_encoding import utc_now
from autograder.store.lti.lti_table_definitions import tickets
from autograder.store.session import StorePart

TicketKind = Literal["login", "sign-in", "content", "registration"]


class LtiOneTimeTicketTable(StorePart):
    """The tickets of a store.

    Tokens come as their SHA-256, as those of ``AccountTables`` do.
    """

    def add(self, kind: TicketKind, token_sha256: str, ticket_data: dict[str, Any], lifetime: timedelta) -> None:
        """Save a ticket, and delete expired ones."""
        now = utc_now()
        with self._session.transaction():
            self._session.execute(delete(tickets).where(tickets.c.expires_at <= now))
            values = {"kind": kind, "data": ticket_data, "expires_at": now + lifetime}
            self._session.execute(insert(tickets).values(token=token_sha256, **values))

    def find_ticket_data(self, kind: TicketKind, token_sha256: str) -> dict[str, Any] | None:
        """Return what a ticket holds without using it up; None if it is unknown, of another kind or expired."""
        row = self._session.fetch_one(select(tickets.c.data).where(_is_valid(kind, token_sha256)))
        return row.data if row else None

    def take_ticket_data_or_none(self, kind: TicketKind, token_sha256: str) -> dict[str, Any] | None:
        """Use a ticket up, and return what it holds; None if it is unknown, of another kind or expired.

        Of two calls at once, only one gets it.
        """
        with self._session.transaction():
            row = self._session.fetch_one(
                delete(tickets).where(_is_valid(kind, token_sha256)).returning(tickets.c.data)
            )
        return row.data if row else None


def _is_valid(kind: TicketKind, token: str) -> Any:
    return and_(tickets.c.token == token, tickets.c.kind == kind, tickets.c.expires_at > utc_now())
