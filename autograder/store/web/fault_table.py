"""Store the recent faults of a server."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, delete, func, insert, select, update

from autograder.store.column_encoding import decode_text, encode_now, encode_text
from autograder.store.session import StorePart
from autograder.store.web.web_table_definitions import faults

MOST_FAULTS = 100
"""Faults of a course that are kept."""
MOST_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class RecordedFault:
    """A fault of the server that no hand-in caused."""

    source: str
    """``pages``, or the worker."""
    text: str
    happened_at: datetime


class FaultTable(StorePart):
    """The last faults of a server."""

    def record_fault(self, course: str, source: str, fault_text: str) -> None:
        """Record what went wrong.

        The same fault as the last one only renews its time. Of each course, the oldest faults beyond ``MOST_FAULTS``
        are deleted.
        """
        encoded, fault_text = encode_text(course), encode_text(fault_text[:MOST_CHARACTERS])
        last = select(func.max(faults.c.id)).where(faults.c.course == encoded)
        values = {"course": encoded, "source": encode_text(source), "text": fault_text, "happened_at": encode_now()}
        same = and_(
            faults.c.id == last.scalar_subquery(), faults.c.source == values["source"], faults.c.text == fault_text
        )
        with self._session.transaction():
            if not self._session.execute(update(faults).where(same).values(happened_at=encode_now())).rowcount:
                self._session.execute(insert(faults).values(**values))
            kept = select(faults.c.id).where(faults.c.course == encoded).order_by(faults.c.id.desc())
            oldest = self._session.fetch_one(kept.offset(MOST_FAULTS - 1).limit(1))
            if oldest:
                self._session.execute(delete(faults).where(faults.c.course == encoded, faults.c.id < oldest.id))

    def list_latest_faults(self, course: str, limit: int) -> list[RecordedFault]:
        """Return the last faults of a course, the latest first."""
        query = select(faults).where(faults.c.course == encode_text(course)).order_by(faults.c.id.desc()).limit(limit)
        return [
            RecordedFault(decode_text(row.source), decode_text(row.text), datetime.fromisoformat(row.happened_at))
            for row in self._session.fetch_all(query)
        ]
