"""Store the workers of a server."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import and_, delete, insert, select, update

from autograder.store.column_encoding import decode_text, decode_time_or_none, encode_now, encode_text
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
        now = encode_now()
        with self._session.transaction():
            self._session.execute(delete(workers).where(_is_worker(course, worker_name)))
            self._session.execute(
                insert(workers).values(
                    course=encode_text(course), name=encode_text(worker_name), tier=isolation_tier,
                    kit=kit_version, python=python_version, started_at=now, seen_at=now, ended_at="",
                )
            )  # fmt: skip

    def record_heartbeat(self, course: str, worker_name: str) -> None:
        """Record that a worker is still there."""
        self._update(course, worker_name, seen_at=encode_now())

    def record_end(self, course: str, worker_name: str) -> None:
        """Record that a worker ended as it was told to."""
        self._update(course, worker_name, ended_at=encode_now())

    def list_workers(self, course: str) -> list[LastWorkerRun]:
        """Return the workers of a course by name."""
        query = select(workers).where(workers.c.course == encode_text(course)).order_by(workers.c.name)
        return [
            LastWorkerRun(
                decode_text(row.name), row.tier, row.kit, row.python,
                datetime.fromisoformat(row.started_at), datetime.fromisoformat(row.seen_at),
                decode_time_or_none(row.ended_at),
            )
            for row in self._session.fetch_all(query)
        ]  # fmt: skip

    def _update(self, course: str, worker_name: str, **values: str) -> None:
        self._session.execute_and_commit(update(workers).where(_is_worker(course, worker_name)).values(**values))


def _is_worker(course: str, worker_name: str) -> Any:
    return and_(workers.c.course == encode_text(course), workers.c.name == encode_text(worker_name))
