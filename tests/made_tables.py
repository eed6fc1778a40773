"""Make the tables of a new SQLite store at once, as a dump has them, and not in the steps that led to them.

The result is the same, as ``tests/store/test_made_tables.py`` proves; thousands of tests open a new store.
"""

from __future__ import annotations

import functools

from sqlalchemy import Connection, create_engine

from autograder.store import schema_migration

make_step_by_step = schema_migration._upgrade


def make_at_once(connection: Connection, found: str) -> None:
    """Stand in for ``schema_migration._upgrade``."""
    if found or connection.dialect.name != "sqlite":
        make_step_by_step(connection, found)
        return
    for statement in statements():
        connection.exec_driver_sql(statement)


@functools.cache
def statements() -> tuple[str, ...]:
    """What a store that went through every step consists of."""
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        make_step_by_step(connection, "")
        dumped = connection.connection.driver_connection.iterdump()  # type: ignore[union-attr]
        _begin, *found, _commit = dumped
    engine.dispose()
    return tuple(found)


def make_tables_at_once() -> None:
    """Have every new store of this process made at once, and of those that are forked from it."""
    statements()
    schema_migration._upgrade = make_at_once
