"""Cache the results of running the course's own programs on disk, from one run of the kit to the next.

The programs are the reference solution and the known mistakes. Their results do not depend on any submission, so they
can be used again for the next class. They are stored in an SQLite database in the grading user's cache folder. If the
database cannot be used, nothing is kept.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from autograder import output_file_permissions
from autograder.file_cache import prune_same_suffix_files

MOST_ROWS = 5_000
"""How many results a database holds; the oldest are deleted first. One result takes some thousand bytes."""
MOST_DATABASES = 4
"""How many databases the cache folder holds; the oldest are deleted first."""
SUFFIX = ".runs"

Result = TypeVar("Result")


class CourseProgramRunCache:
    """A cache of the results of runs. Its keys cover what a run depends on besides the kit and the assignment."""

    def __init__(self, find_file: Callable[[], Path] | None) -> None:
        """Open nothing yet.

        Args:
            find_file: returns the path of the database, which belongs to one version of kit, assignment, Python and
                tier; None to keep nothing. It may raise ``OSError`` and ``RuntimeError``.
        """
        self._find_file = find_file
        self._file: Path | None = None
        self._database: sqlite3.Connection | None = None

    def get_or_none(self, run_key: bytes, result_type: type[Result]) -> Result | None:
        """Return the result for a key; None if none is kept.

        Args:
            run_key: see ``hash_run_inputs``.
            result_type: the type of the result, as ``msgspec`` decodes it.
        """
        try:
            row = self._open().execute("SELECT result FROM run WHERE key = ?", (run_key,)).fetchone()
            return msgspec.msgpack.decode(row[0], type=result_type) if row else None
        except (OSError, RuntimeError, sqlite3.Error, msgspec.MsgspecError) as error:
            self._give_up(error)
            return None

    def store_if_absent(self, run_key: bytes, result: object) -> None:
        """Keep a result unless there is one already; if it cannot be kept, do nothing."""
        try:
            packed = msgspec.msgpack.encode(result)
        except (TypeError, OverflowError):  # a number of more than 64 bits
            return
        try:
            with self._open() as database:
                database.execute("INSERT OR IGNORE INTO run (key, result) VALUES (?, ?)", (run_key, packed))
                database.execute("DELETE FROM run WHERE id <= (SELECT max(id) FROM run) - ?", (MOST_ROWS,))
        except (OSError, RuntimeError, sqlite3.Error) as error:
            self._give_up(error)

    def _open(self) -> sqlite3.Connection:
        if self._database is None:
            if self._find_file is None:
                raise OSError("nothing is kept")
            self._file = self._find_file()
            output_file_permissions.make_output_folder(self._file.parent)
            output_file_permissions.touch_private_file(self._file)
            self._database = sqlite3.connect(self._file, timeout=1.0)
            self._database.execute("PRAGMA synchronous = OFF")  # faster; a power failure may destroy the cache
            self._database.execute(
                "CREATE TABLE IF NOT EXISTS run (id INTEGER PRIMARY KEY, key BLOB UNIQUE, result BLOB)"
            )
            prune_same_suffix_files(self._file, MOST_DATABASES)
        return self._database

    def _give_up(self, error: Exception) -> None:
        """Stop using the cache after an error; delete its file if it is not a valid database."""
        if self._database is not None:
            self._database.close()
            self._database = None
        if type(error) is sqlite3.DatabaseError and self._file is not None:
            with suppress(OSError):
                self._file.unlink()
        self._find_file = None


def hash_run_inputs(*texts: str, further_texts: Iterable[str] = ()) -> bytes:
    """Return the key of a run: a digest of everything that its result depends on.

    Args:
        texts: the kind of run, and the program's source if there is one.
        further_texts: further inputs of the run, such as the requests to the program.
    """
    digest = hashlib.sha256()
    for text in (*texts, *further_texts):
        digest.update(b"%d:" % len(text) + text.encode("utf-8", "surrogatepass"))
    return digest.digest()
