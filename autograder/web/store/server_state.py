"""Store the workers of a server, and its recent faults."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime

from sqlalchemy import and_, delete, func, select, update

from autograder.store.session import StorePart
from autograder.store.tables import utc_now
from autograder.web.store.tables import faults, workers


@dataclass(frozen=True, slots=True)
class LastWorkerRun:
    """The last run of a worker."""

    name: str
    tier: str
    """How strongly it isolates what it grades."""
    kit: str
    python: str
    started_at: datetime
    seen_at: datetime
    ended_at: datetime | None
    """When it ended normally; None while it runs, or if it was killed."""


class WorkerTable(StorePart):
    """The workers of a server."""

    def record_start(
        self, course: str, worker_name: str, isolation_tier: str, kit_version: str, python_version: str
    ) -> None:
        """Record that a worker starts, in place of an earlier run of the same name."""
        now = utc_now()
        started = {"tier": isolation_tier, "kit": kit_version, "python": python_version, "started_at": now}
        with self._session.transaction():
            key = {"course": course, "name": worker_name}
            self._session.update_or_insert(workers, key, **started, seen_at=now, ended_at=None)

    def record_heartbeat(self, course: str, worker_name: str) -> None:
        """Record that a worker is still there."""
        self._update(course, worker_name, seen_at=utc_now())

    def record_end(self, course: str, worker_name: str) -> None:
        """Record that a worker ended as it was told to."""
        self._update(course, worker_name, ended_at=utc_now())

    def list_workers(self, course: str) -> list[LastWorkerRun]:
        """Return the workers of a course by name."""
        columns = (workers.c[field.name] for field in fields(LastWorkerRun))
        query = select(*columns).where(workers.c.course == course).order_by(workers.c.name)
        return self._session.fetch_all_as(LastWorkerRun, query)

    def _update(self, course: str, worker_name: str, **values: datetime) -> None:
        is_worker = and_(workers.c.course == course, workers.c.name == worker_name)
        self._session.execute_and_commit(update(workers).where(is_worker).values(**values))


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
