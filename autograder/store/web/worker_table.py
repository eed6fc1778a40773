"""Store the workers of a server."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime

from sqlalchemy import and_, select, update

from autograder.store.column_encoding import utc_now
from autograder.store.session import StorePart
from autograder.store.web.web_table_definitions import workers


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
