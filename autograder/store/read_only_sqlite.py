"""Read a store's SQLite file that this account cannot write, such as one in a read-only folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import URL

from autograder.faults import CallerFault
from autograder.output_file_permissions import is_writable

ADVICE = "let this account write to it, or copy the folder"


def is_read_only(database_file: Path) -> bool:
    """Return whether a database exists, and this account cannot write it or the files that SQLite puts beside it."""
    return os.path.isfile(database_file) and not (is_writable(database_file) and is_writable(database_file.parent))


def make_read_only_url(database_file: Path) -> URL:
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


def make_read_only_fault(url: URL, database_file: Path) -> CallerFault:
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
