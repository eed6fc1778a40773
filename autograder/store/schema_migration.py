"""Make the tables of a store, or bring up to date those that an earlier version of the kit made."""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, inspect, select, text

from autograder.faults import CallerFault
from autograder.store.core_table_definitions import metadata, schema

UPGRADES: tuple[tuple[str, ...], ...] = ()
"""The statements that bring tables of version 1 to version 2, those of version 2 to version 3, and so on.

Whoever changes a table adds them, such as ``("ALTER TABLE audit ADD COLUMN place TEXT NOT NULL DEFAULT ''",)``.
SQLite and PostgreSQL must both understand them. Statements that were released never change.
"""
VERSION = 1 + len(UPGRADES)
"""The present version of the tables."""
LOCK = 6_021_703
"""The number of the advisory lock; an arbitrary one that other programs hardly use."""


def create_or_upgrade_tables(connection: Connection, store_name: str) -> None:
    """Bring the tables of a store to the present version; runs that open it at once wait for each other.

    Args:
        connection: a connection to the store; a transaction that is open on it is rolled back.
        store_name: the store, for messages.

    Raises:
        CallerFault: a later version of the kit wrote the store.
    """
    if read_schema_version(connection) == VERSION:
        connection.rollback()
        return
    connection.rollback()
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # else each statement would be a transaction of its own
    else:
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK})
    version = read_schema_version(connection)  # another run may have done it meanwhile
    if version > VERSION:
        raise CallerFault(
            f"a later version of the kit wrote this store (its tables have version {version}, known here: {VERSION})",
            where=store_name,
            advice="grade with that version, or name another with --store or --out",
        )
    if not version:
        metadata.create_all(connection, checkfirst=False)
    else:
        for statements in UPGRADES[version - 1 :]:
            for statement in statements:
                connection.exec_driver_sql(statement)
    connection.execute(delete(schema))
    connection.execute(insert(schema).values(version=VERSION))
    connection.commit()


def read_schema_version(connection: Connection) -> int:
    """Return the version of a store's tables; 0 for a new store."""
    if not inspect(connection).has_table(schema.name):
        return 0
    return connection.execute(select(schema.c.version)).scalar() or 0
