"""Locate a store's database, open it, bring its tables up to date, and translate its errors to faults."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import (
    URL,
    Connection,
    Engine,
    NullPool,
    create_engine,
    delete,
    event,
    insert,
    inspect,
    make_url,
    select,
    text,
)
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, OperationalError, SQLAlchemyError

from autograder.faults import CallerFault, Fault, KitFault
from autograder.files import is_writable, touch_private_file
from autograder.kit_version import advise_to_install_extra
from autograder.store.tables import metadata, schema

ADVICE = "let this account write to it, or copy the folder"


def _make_read_only_url(database_file: Path) -> URL:
    """Return the URL by which a database is read without a file beside it being made.

    SQLite makes a ``-shm`` file even to read, unless it is told that the database never changes. That holds only if
    no write-ahead log or journal is there with content that is not in the database yet. See
    https://www.sqlite.org/wal.html#read_only_databases and ``check_unchanged_at_end``.
    """
    unfinished = any(
        os.path.exists(path) and os.path.getsize(path)
        for path in (f"{database_file}-wal", f"{database_file}-journal")
    )
    query = {"mode": "ro", "uri": "true"} if unfinished else {"mode": "ro", "immutable": "1", "uri": "true"}
    name = quote(os.fsencode(os.path.abspath(database_file)))
    return URL.create("sqlite", database=f"file:{name}", query=query)


@contextmanager
def check_unchanged_at_end(database_file: Path) -> Iterator[None]:
    """Check after a block, also one that fails, that nobody has changed a database that SQLite read without locks.

    Raises:
        CallerFault: the database has changed.
    """
    before = _stat(database_file)
    try:
        yield
    finally:
        if _stat(database_file) != before:
            raise CallerFault(
                "somebody wrote this database while it was read", str(database_file), "run the same command again"
            )


def _make_read_only_fault(url: URL, database_file: Path) -> CallerFault:
    """Return the fault for a command that must write a database which this account can only read.

    Args:
        url: the store, as it was named.
        database_file: its file.
    """
    what = "file" if is_writable(database_file.parent) else "folder"
    return CallerFault(
        f"this account can only read this database: its {what} is read-only", url.render_as_string(), ADVICE
    )


def _stat(database_file: Path) -> tuple[int, int, int]:
    found = database_file.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


UPGRADES: tuple[dict[str, tuple[str, ...]], ...] = (
    {
        "web_hand_ins": tuple(
            f"ALTER TABLE web_hand_ins ADD COLUMN {name} TEXT" for name in ("queued_at", "begun_at", "ended_at")
        )
    },
    {"web_publications": ("ALTER TABLE web_publications ADD COLUMN student INTEGER REFERENCES web_accounts (id)",)},
)
"""The statements that bring tables of version 1 to version 2, those of version 2 to version 3, and so on.

Whoever changes a table adds them, by table, such as
``{"audit": ("ALTER TABLE audit ADD COLUMN place TEXT NOT NULL DEFAULT ''",)}``.
SQLite and PostgreSQL must both understand them. Statements that were released never change.
"""
SCHEMA_VERSION = 1 + len(UPGRADES)
"""The present version of the tables."""
UPGRADE_LOCK = 6_021_703
"""The number of the advisory lock; an arbitrary one that other programs hardly use."""


def _create_or_upgrade_tables(connection: Connection, store_name: str) -> None:
    """Bring the tables of a store to the present version; runs that open it at once wait for each other.

    Args:
        connection: a connection to the store; a transaction that is open on it is rolled back.
        store_name: the store, for messages.

    Raises:
        CallerFault: a later version of the kit wrote the store.
    """
    if read_schema_version(connection) == SCHEMA_VERSION and _has_all_tables(connection):
        connection.rollback()
        return
    connection.rollback()
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # else each statement would be a transaction of its own
    else:
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": UPGRADE_LOCK})
    version = read_schema_version(connection)  # another run may have done it meanwhile
    if version > SCHEMA_VERSION:
        raise CallerFault(
            f"a later version of the kit wrote this store (its tables have version {version}, "
            f"known here: {SCHEMA_VERSION})",
            where=store_name,
            advice="grade with that version, or name another with --store or --out",
        )
    tables = {*inspect(connection).get_table_names()}  # without those of a server, unless one used this store
    for upgrade in UPGRADES[version - 1 :] if version else ():
        for statement in (one for table, statements in upgrade.items() if table in tables for one in statements):
            connection.exec_driver_sql(statement)
    metadata.create_all(connection, checkfirst=bool(version))  # a table of somebody else ends a first opening
    connection.execute(delete(schema))
    connection.execute(insert(schema).values(version=SCHEMA_VERSION))
    connection.commit()


def _has_all_tables(connection: Connection) -> bool:
    """Return whether a store has every table that this process knows: a server adds its own."""
    return metadata.tables.keys() <= {*inspect(connection).get_table_names()}


def read_schema_version(connection: Connection) -> int:
    """Return the version of a store's tables; 0 for a new store."""
    if not inspect(connection).has_table(schema.name):
        return 0
    return connection.execute(select(schema.c.version)).scalar() or 0


DATABASE_FILE = "results.sqlite"
BUSY_SECONDS = 30
"""How long to wait for another process that is writing."""
DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg"}
READ_ONLY, LOCK_NOT_AVAILABLE, DEADLOCK, DISK_FULL = "25006", "55P03", "40P01", "53100"
SERVER_TROUBLE = ("08", "40", "53", "57")
"""Classes of errors of a PostgreSQL server that cannot be used now, such as one that has no connections left or shuts
down: https://www.postgresql.org/docs/current/errcodes-appendix.html"""
NOT_A_DATABASE_MESSAGES = ("not a database", "malformed")


def make_store_url(output_folder: Path, store_option: str = "") -> URL:
    """Return the URL of the database that keeps the results of a batch.

    Args:
        output_folder: the batch's folder; holds the database if ``store_option`` is empty.
        store_option: an SQLAlchemy URL, or empty.

    Raises:
        CallerFault: ``store_option`` is not the URL of a database that the kit can use.
    """
    if not store_option:
        return URL.create("sqlite", database=str(output_folder / DATABASE_FILE))
    advice = "write one such as sqlite:////srv/course/results.sqlite or postgresql://user@host/course"
    try:
        url = make_url(store_option)
    except ArgumentError as error:
        raise CallerFault("cannot parse the database's URL", where="--store", advice=advice) from error
    backend = url.get_backend_name()
    if backend not in DRIVERS:
        raise CallerFault(f"unknown kind of database '{backend}'", where="--store", advice=advice)
    return url.set(drivername=DRIVERS[backend]) if url.drivername == backend else url


def get_database_path_or_none(url: URL) -> Path | None:
    """Return the file that a store is; None if it is on a server, or in memory."""
    database = url.database if _is_file(url) else None
    return Path(database) if database and database != ":memory:" and not database.startswith("file:") else None


@contextmanager
def connect_and_migrate(url: URL, *, accepts_read_only: bool = False) -> Iterator[Connection]:
    """Connect to a store, and make its tables or bring them up to date where needed.

    Args:
        url: where the store is.
        accepts_read_only: whether a SQLite file will do that this account cannot write.

    Raises:
        CallerFault: the database cannot be opened, is not a store, or was written by a later version of the kit.
        KitFault: the disk or the database fails.
    """
    path, store_name = get_database_path_or_none(url), url.render_as_string()
    read_only_path = path
    # SQLite puts files beside the database
    if path is None or not os.path.isfile(path) or (is_writable(path) and is_writable(path.parent)):
        read_only_path = None
    if read_only_path and not accepts_read_only:
        raise _make_read_only_fault(url, read_only_path)
    with ExitStack() as resources:
        if read_only_path:
            resources.enter_context(check_unchanged_at_end(read_only_path))
        elif path:
            touch_private_file(path)
        with translate_database_errors(url, is_opening=True):
            engine = _make_engine(_make_read_only_url(read_only_path) if read_only_path else url)
            connection = resources.enter_context(engine.connect())
            if read_only_path and (
                read_schema_version(connection) < SCHEMA_VERSION or not _has_all_tables(connection)
            ):
                raise _make_read_only_fault(url, read_only_path)
            _create_or_upgrade_tables(connection, store_name)
        with translate_database_errors(url):
            yield connection


@lru_cache(maxsize=8)
def _make_engine(url: URL) -> Engine:
    """Return the engine of a database; it is cached, because it caches compiled statements."""
    try:
        engine = create_engine(
            url, poolclass=NullPool, connect_args={"timeout": BUSY_SECONDS} if _is_file(url) else {}
        )
    except (NoSuchModuleError, ImportError) as error:
        advice = advise_to_install_extra("postgres")
        raise CallerFault(
            f"the package for this database is not installed: {error}", where=url.render_as_string(), advice=advice
        ) from error
    if not _is_file(url):
        event.listen(engine, "connect", _configure_postgres)
    elif url.query.get("mode") != "ro":
        event.listen(engine, "connect", _configure_sqlite)
    return engine


@contextmanager
def translate_database_errors(url: URL, *, is_opening: bool = False) -> Iterator[None]:
    """Turn a database's error into a fault.

    Args:
        url: the URL of the database.
        is_opening: whether the database is being opened; errors are then the caller's, who can fix them.
    """
    try:
        yield
    except SQLAlchemyError as error:
        store_url = url.render_as_string()
        text = str(error.orig if isinstance(error, DBAPIError) else error).strip().splitlines()[0]
        state = str(getattr(getattr(error, "orig", None), "sqlstate", None) or "")
        fault: type[Fault] = KitFault
        advice = "run the same command again: what is done stays done"
        if any(message in text for message in NOT_A_DATABASE_MESSAGES):
            text = f"this database is not a store of results: {text}"
            fault, advice = CallerFault, "name another with --store or --out"
        elif state == READ_ONLY:
            text, fault, advice = f"the database is read-only: {text}", CallerFault, "name the primary server's"
        elif state in (LOCK_NOT_AVAILABLE, DEADLOCK):
            text = f"another session locks the database: {text}"
            advice = f"wait for it or end it, then {advice}"
        elif state == DISK_FULL or (_is_file(url) and "disk" in text):
            text, advice = f"cannot write to the database: {text}", f"make room, then {advice}"
        elif is_opening and (state.startswith(SERVER_TROUBLE) or "too many connections" in text):
            text = f"the database's server is not ready: {text}"
            advice = f"wait, or ask its administrator; then {advice}"
        elif is_opening and not state and not _is_file(url):
            text, fault = f"cannot open the database: {text}", CallerFault
            advice = "start its server and run the same command again, or correct --store"
        elif is_opening:
            text = f"cannot open the database: {text}"
            fault, advice = CallerFault, "name another with --store or --out"
        else:
            text = f"the database failed: {text}"
        raise fault(text, where=store_url, advice=advice) from error


def _configure_sqlite(connection: Any, record: Any) -> None:
    """Let others read during a write, and keep committed data if a process is killed."""
    end = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            break
        except sqlite3.OperationalError as error:  # SQLite's busy timeout does not apply here
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.05)
    connection.execute("PRAGMA synchronous=NORMAL")


def _configure_postgres(connection: Any, record: Any) -> None:
    """Wait for locks of others as long as with SQLite; signals are deferred meanwhile."""
    connection.execute(f"SET lock_timeout = '{BUSY_SECONDS}s'")
    connection.commit()


def _is_file(url: URL) -> bool:
    return url.get_backend_name() == "sqlite"


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
