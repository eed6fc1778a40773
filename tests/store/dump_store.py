"""Write the store of a version that stops being the present one: ``python -m tests.store.dump_store 14``.

Takes the store of the version before it, brings it up by the step of that version, fills each new table with a row,
and dumps it for SQLite and for PostgreSQL. Run it in the commit that adds the next step.
"""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Boolean, Connection, Float, Integer, LargeBinary, MetaData, Table, create_engine, inspect

import autograder.store.migrations
from tests.postgres import PROGRAMS, start_postgres

DATA = Path(__file__).parents[1] / "data" / "store"
MOMENT = "2026-11-24T13:58:00+00:00"


def upgrade_and_fill(connection: Connection, version: int) -> None:
    """Bring up a store by one step, and put a row into each table that the step made."""
    before = set(inspect(connection).get_table_names())
    config = Config()
    config.set_main_option("script_location", str(Path(autograder.store.migrations.__file__).parent))
    config.attributes["connection"] = connection
    command.upgrade(config, f"{version:04}")
    tables = MetaData()
    tables.reflect(connection)
    for table in tables.sorted_tables:
        if table.name not in before:
            connection.execute(table.insert().values(make_row(table)))


def make_row(table: Table) -> dict[str, Any]:
    """Return a row of a table, whose references are to the first row of other tables."""
    return {column.name: _make_value(column) for column in table.columns}


def _make_value(column: Any) -> Any:
    if isinstance(column.type, Boolean):
        return False
    if isinstance(column.type, Integer | Float):
        return 1
    if isinstance(column.type, LargeBinary):
        return b"x"
    return MOMENT if column.name.endswith("_at") else "x"


def dump_sqlite(version: int) -> str:
    """Return the script of the store for SQLite."""
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        driver: Any = connection.connection.driver_connection
        driver.executescript((DATA / f"store-{version - 1}.sql").read_text(encoding="utf-8"))
        upgrade_and_fill(connection, version)
        connection.commit()
        assert isinstance(driver, sqlite3.Connection)
        return "\n".join(driver.iterdump()) + "\n"


def dump_postgres(version: int) -> str:
    """Return the script of the store for PostgreSQL, without comments and settings of the session."""
    with start_postgres() as server:
        engine = create_engine(server.url.replace("postgresql:", "postgresql+psycopg:"))
        script = (DATA / f"store-{version - 1}.postgresql.sql").read_text(encoding="utf-8")
        with engine.begin() as connection:
            connection.exec_driver_sql(script.replace("%", "%%"))
        with engine.begin() as connection:
            upgrade_and_fill(connection, version)
        engine.dispose()
        options = ["--inserts", "--no-owner", "--no-privileges", f"--host={server.folder}", "--username=kit"]
        dumped = subprocess.run(
            [PROGRAMS[-1] / "pg_dump", *options, "postgres"], check=True, capture_output=True, text=True
        ).stdout
    left_out = re.compile(r"--|SET |SELECT pg_catalog\.set_config|\\|$")
    return "".join(f"{line}\n" for line in dumped.splitlines() if not left_out.match(line))


if __name__ == "__main__":
    number = int(sys.argv[1])
    (DATA / f"store-{number}.sql").write_text(dump_sqlite(number), encoding="utf-8")
    (DATA / f"store-{number}.postgresql.sql").write_text(dump_postgres(number), encoding="utf-8")
