"""Overwrite the remains of deleted rows in a database."""

from __future__ import annotations

from sqlalchemy import URL, Connection, create_engine
from sqlalchemy.exc import OperationalError

from autograder.store.connection import LOCK_NOT_AVAILABLE, translate_database_errors
from autograder.store.core_table_definitions import metadata

BUSY_MILLISECONDS = 30_000
TABLE_LOCK_MILLISECONDS = 5_000
"""How long to wait for a table of PostgreSQL. Everybody else who uses the table waits meanwhile."""


def try_vacuum_store(url: URL) -> bool:
    """Rewrite the tables of a store without deleted rows; return False if another program prevented it.

    With SQLite this covers the database file and its write-ahead log. With PostgreSQL it covers the tables; the
    server's archiving decides how long its write-ahead log is kept.

    Raises:
        KitFault: the disk or the database fails.
    """
    with translate_database_errors(url):
        engine = create_engine(url, isolation_level="AUTOCOMMIT")
        try:
            with engine.connect() as connection:
                return _vacuum_file(connection) if url.get_backend_name() == "sqlite" else _vacuum_tables(connection)
        finally:
            engine.dispose()


def _vacuum_file(connection: Connection) -> bool:
    connection.exec_driver_sql(f"PRAGMA busy_timeout={BUSY_MILLISECONDS}")
    connection.exec_driver_sql("VACUUM")
    is_busy, *_ = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
    return not is_busy


def _vacuum_tables(connection: Connection) -> bool:
    connection.exec_driver_sql(f"SET lock_timeout={TABLE_LOCK_MILLISECONDS}")
    try:
        for name in metadata.tables:
            connection.exec_driver_sql(f"VACUUM (FULL) {name}")
    except OperationalError as error:
        if getattr(error.orig, "sqlstate", None) != LOCK_NOT_AVAILABLE:
            raise
        return False
    return True
