"""What other tests' stores are made of is what the migrations make."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from autograder.store import schema_migration
from autograder.store.connection import make_store_url
from autograder.store.database import open_store
from tests.made_tables import make_at_once, make_step_by_step


def test_tables_made_at_once_are_those_that_the_migrations_make(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dumps = []
    for way in (make_at_once, make_step_by_step):
        monkeypatch.setattr(schema_migration, "_upgrade", way)
        file = tmp_path / f"{way.__name__}.sqlite"
        with open_store(make_store_url(tmp_path, f"sqlite:///{file}")):
            pass
        connection = sqlite3.connect(file)
        dumps.append([*connection.iterdump()])
        connection.close()
    assert dumps[0] == dumps[1]
    assert len(dumps[0]) > 20
