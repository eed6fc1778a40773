"""What is no store is the caller's mistake, and no message holds a password."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import NullPool, create_engine
from sqlalchemy.engine import URL

from autograder.faults import CallerFault, KitFault
from autograder.store import connection
from autograder.store.audit import AuditContext, AuditEvent
from autograder.store.connection import make_store_url, translate_database_errors
from autograder.store.store import open_or_create_store

EVENT = AuditEvent(changed_item="mark", student_label="Ada", before="1", after="2")


def test_a_file_that_is_no_database_is_the_callers_mistake(tmp_path: Path) -> None:
    (tmp_path / "results.sqlite").write_bytes(b"so long, and thanks for all the fish" * 100)
    with (
        pytest.raises(CallerFault, match="is not a store of results"),
        open_or_create_store(make_store_url(tmp_path)),
    ):
        pass


def test_a_folder_that_is_missing_is_the_callers_mistake(tmp_path: Path) -> None:
    with (
        pytest.raises(CallerFault, match="cannot open the database"),
        open_or_create_store(make_store_url(tmp_path / "nowhere")),
    ):
        pass


@pytest.mark.parametrize("store", ["results.sqlite", "mysql://host/course", "://"])
def test_a_database_of_an_unknown_kind_is_the_callers_mistake(tmp_path: Path, store: str) -> None:
    with pytest.raises(CallerFault, match="--store") as caught:
        make_store_url(tmp_path, store)
    assert "write one such as" in caught.value.advice


def test_no_message_holds_the_password(tmp_path: Path) -> None:
    url = make_store_url(tmp_path, "postgresql://kit:secret@127.0.0.1:1/none?connect_timeout=1")
    with pytest.raises(CallerFault, match="cannot open the database") as caught, open_or_create_store(url):
        pass
    assert "secret" not in str(caught.value)


@pytest.fixture
def postgres_url(url: URL) -> URL:
    if url.get_backend_name() == "sqlite":
        pytest.skip("a PostgreSQL server alone has these states")
    return url


def execute(url: URL, statement: str) -> None:
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connected:
        connected.exec_driver_sql(statement)
    engine.dispose()


def test_a_lock_of_another_session_is_told_and_not_waited_for_without_an_end(
    postgres_url: URL, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_or_create_store(postgres_url):
        pass
    monkeypatch.setattr(connection, "BUSY_SECONDS", 1)
    engine = create_engine(postgres_url)
    with engine.connect() as other:
        other.exec_driver_sql("SET idle_in_transaction_session_timeout = '10s'")  # should nothing else end the wait
        other.exec_driver_sql("LOCK TABLE audit IN ACCESS EXCLUSIVE MODE")
        with (
            pytest.raises(KitFault, match="another session locks the database"),
            open_or_create_store(postgres_url) as store,
        ):
            store.audit.load_audit_rows("", "counter")
    engine.dispose()


def test_two_sessions_that_wait_for_each_other_are_told_as_a_lock(postgres_url: URL) -> None:
    def lock_both(started: threading.Event, other_started: threading.Event, tables: list[str]) -> None:
        engine = create_engine(postgres_url, poolclass=NullPool)
        with engine.connect() as session, translate_database_errors(postgres_url):
            session.exec_driver_sql(f"LOCK TABLE {tables[0]}")
            started.set()
            other_started.wait()
            session.exec_driver_sql(f"LOCK TABLE {tables[1]}")

    with open_or_create_store(postgres_url):
        pass
    tables, one, other = ["web_accounts", "web_faults"], threading.Event(), threading.Event()
    with ThreadPoolExecutor(2) as threads:
        ended = [
            threads.submit(lock_both, one, other, tables),
            threads.submit(lock_both, other, one, tables[::-1]),
        ]
    (fault,) = (future.exception() for future in ended if future.exception())
    assert "another session locks the database: deadlock detected (wait for it or end it" in str(fault)


def test_a_read_only_database_is_named_so(postgres_url: URL) -> None:
    execute(postgres_url, f"ALTER DATABASE {postgres_url.database} SET default_transaction_read_only = on")
    with pytest.raises(CallerFault, match="the database is read-only"), open_or_create_store(postgres_url):
        pass


def test_a_server_without_free_connections_is_not_the_callers_mistake(postgres_url: URL) -> None:
    execute(postgres_url, "DROP ROLE IF EXISTS visitor")
    execute(postgres_url, "CREATE ROLE visitor LOGIN")
    execute(postgres_url, f"ALTER DATABASE {postgres_url.database} CONNECTION LIMIT 0")
    with (
        pytest.raises(KitFault, match=r"not ready: .*too many connections"),
        open_or_create_store(postgres_url.set(username="visitor")),
    ):
        pass


def test_a_server_whose_disk_is_full_is_told_to_get_room(postgres_url: URL) -> None:
    refusal = "RAISE 'could not extend file \"base/5/1\": No space left on device' USING ERRCODE = 'disk_full';"
    function = f"CREATE FUNCTION refuse() RETURNS trigger AS $$BEGIN {refusal} END$$ LANGUAGE plpgsql"
    with open_or_create_store(postgres_url) as store:
        execute(postgres_url, function)
        execute(postgres_url, "CREATE TRIGGER full_disk BEFORE INSERT ON audit EXECUTE FUNCTION refuse()")
        with pytest.raises(KitFault, match="cannot write to the database: could not extend file") as caught:
            store.audit.add_events(AuditContext("decide", "kim", "", "", "toy"), [EVENT], "decided")
    assert caught.value.advice.startswith("make room")


def test_a_store_goes_on_after_its_server_ended_the_connection(postgres_url: URL) -> None:
    with open_or_create_store(postgres_url) as store:
        others = "pid <> pg_backend_pid() AND datname = current_database()"
        execute(postgres_url, f"SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE {others}")
        with pytest.raises(KitFault, match="the database failed: terminating connection"):
            store.audit.load_audit_rows("", "")
        assert store.audit.load_audit_rows("", "") == []
