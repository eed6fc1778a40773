"""Cache results of the course's own programs: in memory a bounded number, on disk from one run to the next."""

from __future__ import annotations

import hashlib
import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from autograder import files
from autograder.files import prune_same_suffix_files

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")


class LruCache(Generic[Key, Result]):
    """A cache of up to ``max_results`` results by key; the least recently used one is dropped first."""

    def __init__(self, max_results: int) -> None:
        """Remember nothing yet.

        Args:
            max_results: how many results to remember; 0 to remember none.
        """
        self._most = max_results
        self._results: OrderedDict[Key, Result] = OrderedDict()

    def get(self, key: Key) -> Result | None:
        """Return the result for a key; None if it is not remembered."""
        if key not in self._results:
            return None
        self._results.move_to_end(key)
        return self._results[key]

    def store(self, key: Key, result: Result) -> None:
        """Remember a result."""
        self._results[key] = result
        self._results.move_to_end(key)
        while len(self._results) > self._most:
            self._results.popitem(last=False)


class CachedIterable(Generic[Result]):
    """An iterable whose items are made when they are first needed, and then kept for further iterations."""

    def __init__(self, items: Iterable[Result]) -> None:
        self._left = iter(items)
        self._made: list[Result] = []

    def __iter__(self) -> Iterator[Result]:
        """Yield all items, from the first."""
        place = 0
        while True:
            if place == len(self._made):
                try:
                    self._made.append(next(self._left))
                except StopIteration:
                    return
            yield self._made[place]
            place += 1


MOST_ROWS = 5_000
"""How many results a database holds; the oldest are deleted first. One result takes some thousand bytes."""
MOST_DATABASES = 4
"""How many databases the cache folder holds; the oldest are deleted first."""
SUFFIX = ".runs"


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
            files.make_output_folder(self._file.parent)
            files.touch_private_file(self._file)
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
