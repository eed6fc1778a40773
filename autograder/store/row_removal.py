"""Delete rows together with all rows that refer to them, found by the foreign keys of every table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Column, Table, delete, select

from autograder.store.core_table_definitions import members, metadata, results
from autograder.store.session import StoreSession


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
