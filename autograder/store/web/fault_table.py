"""Store the recent faults of a server."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, delete, func, select, update

from autograder.store.column_encoding import utc_now
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
        is_of_course = faults.c.course == course
        values = {"source": source, "text": fault_text[:MOST_CHARACTERS]}
        latest = select(func.max(faults.c.id)).where(is_of_course).scalar_subquery()
        with self._session.transaction():
            is_same = and_(faults.c.id == latest, *(faults.c[name] == value for name, value in values.items()))
            if not self._session.execute(update(faults).where(is_same).values(happened_at=utc_now())).rowcount:
                self._session.insert_row(faults, course=course, **values)
            kept = select(faults.c.id).where(is_of_course).order_by(faults.c.id.desc())
            oldest = self._session.fetch_value(kept.offset(MOST_FAULTS - 1).limit(1))
            if oldest:
                self._session.execute(delete(faults).where(is_of_course, faults.c.id < oldest))

    def list_latest_faults(self, course: str, limit: int) -> list[RecordedFault]:
        """Return the last faults of a course, the latest first."""
        query = select(faults.c.source, faults.c.text, faults.c.happened_at).where(faults.c.course == course)
        return self._session.fetch_all_as(RecordedFault, query.order_by(faults.c.id.desc()).limit(limit))
