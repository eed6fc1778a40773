"""A store of an earlier version is brought up to the present one; one of a later version is refused."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy import URL, Connection, create_engine, inspect, text

from autograder.faults import CallerFault
from autograder.store.connection import SCHEMA_VERSION, UPGRADES, read_schema_version
from autograder.store.store import open_or_create_store

UPGRADE = {
    "audit": (
        "ALTER TABLE audit ADD COLUMN spot TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE audit RENAME COLUMN spot TO place",
    ),
    "a table that this store lacks": ("ALTER TABLE missing ADD COLUMN place TEXT",),
}


def in_database(url: URL, action: Callable[[Connection], Any]) -> Any:
    engine = create_engine(url)
    with engine.begin() as connection:
        found = action(connection)
    engine.dispose()
    return found


def execute(url: URL, statement: str) -> None:
    in_database(url, lambda connection: connection.execute(text(statement)))


def open_store(url: URL) -> None:
    with open_or_create_store(url):
        pass


def has_place(connection: Connection) -> bool:
    return "place" in {column["name"] for column in inspect(connection).get_columns("audit")}


@pytest.fixture
def earlier_url(url: URL, monkeypatch: pytest.MonkeyPatch) -> URL:
    """A store of the version before the one that ``UPGRADE`` makes."""
    open_store(url)
    monkeypatch.setattr("autograder.store.connection.UPGRADES", (*UPGRADES, UPGRADE))
    monkeypatch.setattr("autograder.store.connection.SCHEMA_VERSION", SCHEMA_VERSION + 1)
    return url


def test_a_store_that_several_runs_open_at_once_is_brought_up_by_one_of_them(earlier_url: URL) -> None:
    together = Barrier(4)

    def open_together(_: int) -> None:
        together.wait()
        open_store(earlier_url)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(open_together, range(4)))
    assert in_database(earlier_url, read_schema_version) == SCHEMA_VERSION + 1
    assert in_database(earlier_url, has_place)


def test_a_statement_that_fails_leaves_the_store_as_it_was(earlier_url: URL, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = {"audit": (*UPGRADE["audit"], "ALTER TABLE nothing RENAME TO something")}
    monkeypatch.setattr("autograder.store.connection.UPGRADES", (*UPGRADES, failing))
    with pytest.raises(CallerFault, match=r"cannot open the database: .*nothing"):
        open_store(earlier_url)
    assert in_database(earlier_url, read_schema_version) == SCHEMA_VERSION
    assert not in_database(earlier_url, has_place)


def test_a_database_with_a_table_of_the_same_name_stays_as_it_was(url: URL) -> None:
    execute(url, "CREATE TABLE audit (other INTEGER)")
    with pytest.raises(CallerFault, match=r"cannot open the database: .*already exists"):
        open_store(url)
    assert in_database(url, lambda connection: inspect(connection).get_table_names()) == ["audit"]


def test_a_store_of_a_later_version_is_not_opened(url: URL) -> None:
    open_store(url)
    execute(url, f"UPDATE autograder_schema SET version = {SCHEMA_VERSION + 1}")
    with pytest.raises(CallerFault, match="later version of the kit") as caught:
        open_store(url)
    assert "grade with that version" in caught.value.advice
