"""A server that waits for work keeps no table of PostgreSQL locked."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest

from autograder.sandbox import choose_strongest_sandbox
from autograder.store.connection import try_vacuum_store
from autograder.web.grading_worker import CourseHandInWorker, grade_courses_in_turns
from autograder.web.lms.sync import LmsSyncWorker
from autograder.web.store.server_store import open_server_store
from tests.postgres import start_postgres
from tests.web.conftest import Site


@pytest.fixture(scope="module")
def postgres_url() -> Iterator[str]:
    with start_postgres() as server:
        yield server.url


@pytest.fixture
def site_on_postgres(site: Site, postgres_url: str) -> Site:
    place = replace(site.settings.location, store_option=postgres_url)
    return Site(replace(site.settings, location=place))


@dataclass
class StopAtFirstPause(threading.Event):
    """Counts the transactions that are open when the loop pauses for the first time, and ends the loop."""

    url: str
    open_transactions: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def wait(self, timeout: float | None = None) -> bool:
        import psycopg

        if threading.current_thread() is not threading.main_thread():
            return super().wait(timeout)
        with psycopg.connect(self.url) as connection:
            query = b"select count(*) from pg_stat_activity where state like 'idle in transaction%'"
            found = connection.execute(query).fetchone()
        assert found
        self.open_transactions.append(found[0])
        self.set()
        return True


def test_a_worker_without_work_has_no_open_transaction(site_on_postgres: Site, postgres_url: str) -> None:
    stop = StopAtFirstPause(postgres_url)
    worker = CourseHandInWorker(
        site_on_postgres.settings,
        lambda one: choose_strongest_sandbox("process", None, one.packages),
        "one",
        1,
        stop,
    )
    grade_courses_in_turns([worker], stop)
    assert stop.open_transactions == [0]


def test_an_outbox_without_an_lms_has_no_open_transaction(site_on_postgres: Site, postgres_url: str) -> None:
    stop = StopAtFirstPause(postgres_url)
    LmsSyncWorker(site_on_postgres.settings, "one", stop).run()
    assert stop.open_transactions == [0]


def test_compacting_gives_up_on_a_table_that_somebody_reads(
    site_on_postgres: Site, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    monkeypatch.setattr("autograder.store.connection.TABLE_LOCK_MILLISECONDS", 100)
    place = site_on_postgres.settings.location
    with open_server_store(place):
        pass
    with psycopg.connect(postgres_url) as connection:
        connection.execute("select * from web_accounts")
        assert not try_vacuum_store(place.store_url)
    assert try_vacuum_store(place.store_url)
