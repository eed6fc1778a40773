"""Record every request about a mark that goes to a platform, and its answer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import insert, select

from autograder.store.lti.lti_mark_table_definitions import attempts
from autograder.store.lti.lti_table_definitions import read_row
from autograder.store.lti.outbox_mark import MarkWithComment, OutboxMark
from autograder.store.session import StorePart

AttemptKind = Literal["results", "score"]
"""A read of the marks on the platform, or the sending of a mark."""


@dataclass(frozen=True, slots=True)
class LtiMarkRequest:
    """One request about a mark."""

    version: int
    kind: AttemptKind
    value: MarkWithComment | None
    """The mark that was sent or read."""
    status: int
    """The HTTP status; 0 where no answer came."""
    answer: str
    """The beginning of the answer, escaped."""
    recorded_at: datetime


class LtiMarkRequestLog(StorePart):
    """Log of the requests to platforms about marks, with their answers."""

    def add(
        self, mark: OutboxMark, kind: AttemptKind, value: MarkWithComment | None, status: int, answer: str
    ) -> None:
        """Record a request; it is committed with the mark's next change."""
        values = {"mark": mark.id, "version": mark.version, "kind": kind, "value": value, "status": status}
        with self._session.group_statements():
            self._session.execute(insert(attempts).values(**values, answer=answer))

    def list_requests(self, mark_id: int) -> list[LtiMarkRequest]:
        """Return every request about a mark, in order."""
        rows = self._session.fetch_all(select(attempts).where(attempts.c.mark == mark_id).order_by(attempts.c.id))
        return [read_row(LtiMarkRequest, row) for row in rows]
