"""Hold one connection to a store, commit a few rows at a time, and delete rows with all that refer to them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import (
    URL,
    Column,
    Connection,
    CursorResult,
    Executable,
    Row,
    Table,
    UpdateBase,
    and_,
    delete,
    insert,
    literal,
    select,
    update,
)
from sqlalchemy.exc import SQLAlchemyError

from autograder.faults import Fault, defer_signals
from autograder.store.connection import translate_database_errors
from autograder.store.tables import members, metadata, results

MAX_UNWRITTEN_ROWS = 20
MAX_UNWRITTEN_SECONDS = 0.5
"""Limits of uncommitted rows and of their age. Rows share a commit, because it waits for the disk; a kill can lose
the uncommitted ones."""

T = TypeVar("T")


class StoreSession:
    """A connection, for one thread. Raises ``KitFault`` wherever the database fails."""

    def __init__(self, connection: Connection, url: URL) -> None:
        self.url = url
        self._connection = connection
        self._unwritten_rows, self._first_write_time = 0, 0.0
        self._open_groups, self._is_commit_asked_for = 0, False

    def execute(self, query: Executable, bind_values: Any = None) -> CursorResult[Any]:
        """Execute one statement. Read its rows with ``fetch_all`` and ``fetch_one``, which no signal interrupts.

        If it fails outside of a group, the session stays usable: PostgreSQL has given up the transaction by then.
        """
        with translate_database_errors(self.url), defer_signals():
            try:
                return self._connection.execute(query, bind_values)
            except SQLAlchemyError:
                if not self._open_groups and self.url.get_backend_name() == "postgresql":
                    with suppress(Fault):  # the original exception is raised instead
                        self.rollback()
                raise

    def fetch_all(self, query: Executable, bind_values: dict[str, Any] | None = None) -> Sequence[Row[Any]]:
        """Return all rows that a query gives."""
        with translate_database_errors(self.url), defer_signals():
            return self.execute(query, bind_values or {}).all()

    def fetch_one(self, query: Executable, bind_values: dict[str, Any] | None = None) -> Row[Any] | None:
        """Return the first row that a query gives; None if it gives none."""
        with translate_database_errors(self.url), defer_signals():
            return self.execute(query, bind_values or {}).first()

    def fetch_all_as(self, kind: type[T], query: Executable, bind_values: dict[str, Any] | None = None) -> list[T]:
        """Return all rows that a query gives, each as a dataclass whose fields are called as its columns."""
        return [_make_record(kind, row) for row in self.fetch_all(query, bind_values)]

    def fetch_one_as(self, kind: type[T], query: Executable, bind_values: dict[str, Any] | None = None) -> T | None:
        """Return the first row that a query gives, as ``fetch_all_as`` does; None if it gives none."""
        row = self.fetch_one(query, bind_values)
        return _make_record(kind, row) if row else None

    def fetch_value(self, query: Executable, bind_values: dict[str, Any] | None = None) -> Any:
        """Return the first column of the first row that a query gives; None if it gives none."""
        row = self.fetch_one(query, bind_values)
        return row[0] if row else None

    def insert_row(self, table: Table, **values: Any) -> int:
        """Insert a row, and return its id; 0 in a dry run, which skips the insert."""
        return self.execute(insert(table).values(**values).returning(table.c.id)).scalar() or 0

    def update_or_insert(self, table: Table, key: dict[str, Any], **values: Any) -> None:
        """Update the row of a key, or insert it if there is none."""
        is_row = and_(*(table.c[name] == value for name, value in key.items()))
        if not self.execute(update(table).where(is_row).values(**values)).rowcount:
            self.execute(insert(table).values(**key, **values))

    def lock_rows(self, table: Table, row_condition: Any) -> None:
        """Make others who change these rows wait for the end of this transaction."""
        column = table.primary_key.columns[0]
        self.execute(update(table).where(row_condition).values({column: column}))

    @contextmanager
    def group_statements(self) -> Iterator[None]:
        """Group statements that belong together: all of them are committed, or none. Groups may be nested.

        A commit within a group waits for the end of the outermost one. An exception in the block rolls back
        everything that is not committed yet.
        """
        if not self._unwritten_rows:
            self._first_write_time = time.monotonic()
        with defer_signals():
            self._unwritten_rows += 1
            self._open_groups += 1
            try:
                yield
            except BaseException:
                with suppress(Fault):  # the original exception is raised instead
                    self.rollback()
                raise
            finally:
                self._open_groups -= 1
        if self._open_groups:
            return
        is_due = (
            self._unwritten_rows >= MAX_UNWRITTEN_ROWS
            or time.monotonic() - self._first_write_time > MAX_UNWRITTEN_SECONDS
        )
        if is_due or self._is_commit_asked_for:
            self.commit()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Group statements, and commit them at the end of the outermost group."""
        with self.group_statements():
            yield
        self.commit()

    def execute_and_commit(self, query: Executable, bind_values: Any = None) -> None:
        """Execute one statement in a ``transaction`` of its own."""
        with self.transaction():
            self.execute(query, bind_values)

    def commit(self) -> None:
        """Commit everything, at the end of the open group if there is one.

        If the commit fails, the rows are rolled back, and the session stays usable.
        """
        if self._open_groups:
            self._is_commit_asked_for = True
            return
        with translate_database_errors(self.url), defer_signals():
            try:
                self._connection.commit()
            except BaseException:
                with suppress(Fault):  # the original exception is raised instead
                    self.rollback()
                raise
            self._unwritten_rows, self._is_commit_asked_for = 0, False

    def rollback(self) -> None:
        """Roll back everything that is not committed yet."""
        with translate_database_errors(self.url), defer_signals():
            self._connection.rollback()
            self._unwritten_rows, self._is_commit_asked_for = 0, False

    def commit_if_due(self) -> None:
        """Commit rows that have waited longer than ``MAX_UNWRITTEN_SECONDS``; call this when idle."""
        if self._unwritten_rows and time.monotonic() - self._first_write_time > MAX_UNWRITTEN_SECONDS:
            self.commit()


def _make_record(kind: type[T], row: Row[Any]) -> T:
    names: frozenset[str] = _list_field_names(kind)  # type: ignore[arg-type]
    return kind(**{name: value for name, value in row._mapping.items() if name in names})


@cache
def _list_field_names(kind: type[Any]) -> frozenset[str]:
    """Return the fields of a dataclass; a class of students has thousands of rows."""
    return frozenset(field.name for field in fields(kind))


class DryRunSession(StoreSession):
    """A session for dry runs: it reads, and skips every statement that would write, so it never blocks others."""

    def execute(self, query: Executable, bind_values: Any = None) -> CursorResult[Any]:
        """Execute a statement that reads; one that writes is left out, and gives no row."""
        return super().execute(NO_ROW) if isinstance(query, UpdateBase) else super().execute(query, bind_values)


NO_ROW = select(literal(1)).limit(0)


class StorePart:
    """The base of what reads and writes the store's tables. Its methods raise ``KitFault`` if the database fails."""

    def __init__(self, session: StoreSession) -> None:
        self._session = session


def delete_rows_cascading(session: StoreSession, table: Table, row_condition: Any) -> None:
    """Delete rows, and before them every row of any table that refers to them.

    Args:
        session: the open transaction.
        table: the table; its rows have an ``id`` if others refer to them.
        row_condition: which rows.
    """
    for column in _iterate_references(table):
        delete_rows_cascading(session, column.table, column.in_(select(table.c.id).where(row_condition)))
    session.execute(delete(table).where(row_condition))


def delete_results_without_submission(session: StoreSession) -> None:
    """Delete results that belong to no submission of any class, because they quote the code."""
    session.execute(delete(results).where(results.c.identity.not_in(select(members.c.identity))))


def _iterate_references(table: Table) -> Iterator[Column[Any]]:
    """Yield the columns that refer to the rows of a table."""
    for other_table in metadata.tables.values():
        for column in other_table.c:
            if any(foreign_key.column.table is table for foreign_key in column.foreign_keys):
                yield column
