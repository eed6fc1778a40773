"""Record every request about a mark that goes to a platform, and its answer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import insert, select

from autograder.store.lti_mark_tables import attempts
from autograder.store.outbox_mark import MarkValue, decode_value, encode_values
from autograder.store.session import StoreSession
from autograder.store.text_encoding import encode_now

AttemptKind = Literal["results", "score"]
"""It was asked what stands there; or a mark was sent."""


@dataclass(frozen=True, slots=True)
class LtiMarkRequest:
    """One request about a mark."""

    mark: int
    """The number of an ``OutboxMark``."""
    version: int
    what: AttemptKind
    value: MarkValue | None
    """What was sent, or what stood there."""
    status: int
    """The HTTP status; 0 where no answer came."""
    answer: str
    """The beginning of the answer, escaped."""
    at: datetime | None = None
    """When it was recorded; None until it is."""


class LtiMarkRequestTable:
    """The attempts of a store. Raises ``KitFault`` wherever the database fails."""

    def __init__(self, session: StoreSession) -> None:
        self._session = session

    def add(self, attempt: LtiMarkRequest) -> None:
        """Record a request; on the disk with what is kept of the mark next."""
        values = {
            "mark": attempt.mark,
            "version": attempt.version,
            "what": attempt.what,
            "value": encode_values(attempt.value) if attempt.value else "",
            "status": attempt.status,
            "answer": attempt.answer,
            "at": encode_now(),
        }
        with self._session.group_and_commit_if_due():
            self._session.execute(insert(attempts).values(**values))

    def list_of_mark(self, mark: int) -> list[LtiMarkRequest]:
        """Return every request about a mark, in order."""
        rows = self._session.fetch_all(select(attempts).where(attempts.c.mark == mark).order_by(attempts.c.id))
        return [
            LtiMarkRequest(
                row.mark, row.version, row.what, decode_value(row.value), row.status, row.answer,
                datetime.fromisoformat(row.at),
            )
            for row in rows
        ]  # fmt: skip
