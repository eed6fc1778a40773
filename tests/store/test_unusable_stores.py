"""What is no store is the caller's mistake, and no message holds a password."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.faults import CallerFault
from autograder.store.connection import make_store_url
from autograder.store.store import open_or_create_store


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


def test_a_server_that_does_not_answer_is_the_callers_mistake() -> None:
    pytest.importorskip("psycopg")
    url = make_store_url(Path(), "postgresql://kit@127.0.0.1:1/none?connect_timeout=1")
    with pytest.raises(CallerFault, match="cannot open the database"), open_or_create_store(url):
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
