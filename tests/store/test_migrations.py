"""Stores as earlier versions of the kit left them are brought up to the present one, and lose nothing.

``tests/data/store`` holds a store of each version, for SQLite and for PostgreSQL, written by the kit of that time, or
brought up to that version from the one before it (``dump_store.py``).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Connection, create_engine, inspect, text

import autograder.store.migrations
from autograder.decisions import DecisionProvenance
from autograder.faults import CallerFault
from autograder.lateness import SubmissionTime
from autograder.store.audit_model import AuditContext, AuditEvent
from autograder.store.core_table_definitions import metadata
from autograder.store.migrations.versions.v0017_rename_columns import NEW_NAMES
from autograder.store.results.result_key import GradingRules
from autograder.store.results.submission_entry_rows import StoredSubmissionEntry
from autograder.store.schema_migration import HEAD, TABLE, read_current_revision
from autograder.store.store import Store, open_or_create_store

DATA = Path(__file__).parents[1] / "data" / "store"
VERSIONS = tuple(range(1, int(HEAD)))
"""Those before the present one; kits up to 0.2.0 counted the first three for themselves."""
WHEN = datetime(2025, 11, 21, 11, tzinfo=UTC)
RULES = GradingRules("toy", "v", "1", "c", "k")


def left_by(version: int, url: URL) -> URL:
    """A store as a kit of that time left it."""
    if url.get_backend_name() == "sqlite":
        connection = sqlite3.connect(str(url.database))
        connection.executescript((DATA / f"store-{version}.sql").read_text(encoding="utf-8"))
        connection.close()
    else:
        script = (DATA / f"store-{version}.postgresql.sql").read_text(encoding="utf-8")
        in_database(url, lambda connection: connection.exec_driver_sql(script.replace("%", "%%")))
    return url


def in_database(url: URL, action: Callable[[Connection], Any]) -> Any:
    engine = create_engine(url)
    with engine.begin() as connection:
        found = action(connection)
    engine.dispose()
    return found


def everything(connection: Connection) -> dict[str, list[dict[str, Any]]]:
    """Every row there is, but for what says which version it is."""
    tables = set(inspect(connection).get_table_names()) - {"autograder_schema", TABLE}
    return {
        table: [dict(row) for row in connection.execute(text(f"SELECT * FROM {table}")).mappings()]
        for table in sorted(tables)
    }


def state(connection: Connection) -> tuple[str, list[Any]]:
    """The version of the tables, and what they lack."""
    context = MigrationContext.configure(connection, opts={"version_table": TABLE, "compare_type": True})
    return read_current_revision(connection), compare_metadata(context, metadata)


@pytest.mark.thorough_but("sqlite-1", "sqlite-9", "sqlite-17")
@pytest.mark.parametrize("version", VERSIONS)
def test_a_store_of_every_earlier_version_gets_the_present_tables_and_no_row_is_lost_or_changed(
    version: int, url: URL
) -> None:
    before = in_database(left_by(version, url), everything)
    with open_or_create_store(url):
        pass
    assert in_database(url, state) == (HEAD, [])
    after = in_database(url, everything)
    assert any(before.values())
    for table, rows in before.items():
        names = NEW_NAMES.get(table, {})
        pairs = zip(rows, after[table], strict=True)
        assert [{key: row[names.get(key, key)] for key in old} for old, row in pairs] == rows


@pytest.mark.thorough_but("sqlite-1", "sqlite-9", "sqlite-17")
@pytest.mark.parametrize("version", VERSIONS)
def test_a_store_of_every_earlier_version_is_worked_in_as_a_new_one(version: int, url: URL) -> None:
    left_by(version, url)
    for _ in range(2):
        with open_or_create_store(url) as store:
            batch = store.classes.record_class_and_replace_entries(
                "b", Path("class"), RULES, [StoredSubmissionEntry("eve", Path("eve.py"))], "canvas"
            )
            assert [one.name for one in store.classes.iterate_entries(batch)] == ["eve"]
            action = AuditContext("export", "kim", "canvas", "b", "toy", "r")
            store.audit.add_events(
                action,
                [
                    AuditEvent(
                        changed_item="mark",
                        target="4711",
                        student="7",
                        student_label="Eve (7)",
                        submission="eve",
                        before="",
                        after="9.5",
                    )
                ],
                "written",
            )
            assert store.audit.map_last_exported_values("b", "toy", "canvas")["mark", "4711", "7"].after == "9.5"
            maker = DecisionProvenance("Kim", "kim")
            store.decisions.add_decisions(batch, "b", [maker.make_decision("override", "eve", value="7")], {})
            assert [one.value for one in store.decisions.list_all_decisions(batch)][-1] == "7"


def test_a_new_store_has_the_present_tables(url: URL) -> None:
    with open_or_create_store(url):
        pass
    assert in_database(url, state) == (HEAD, [])


def layout(connection: Connection) -> dict[str, Any]:
    """Columns, keys and indexes of each table, whatever their order."""
    look = inspect(connection)
    return {
        table: (
            sorted((one["name"], str(one["type"]), one["nullable"]) for one in look.get_columns(table)),
            look.get_pk_constraint(table)["constrained_columns"],
            sorted(str((*one["constrained_columns"], one["referred_table"])) for one in look.get_foreign_keys(table)),
            sorted(str(one["column_names"]) for one in look.get_unique_constraints(table)),
            sorted(str((one["name"], one["column_names"], one["unique"])) for one in look.get_indexes(table)),
        )
        for table in look.get_table_names()
    }


def test_a_new_store_has_what_the_steps_make_of_one_of_the_first_version(url: URL) -> None:
    with open_or_create_store(url):
        pass
    made = in_database(url, layout)
    in_database(url, lambda connection: drop_all(connection, made))
    with open_or_create_store(left_by(1, url)):
        pass
    assert in_database(url, layout) == made


def drop_all(connection: Connection, tables: Iterable[str]) -> None:
    tail = " CASCADE" if connection.dialect.name == "postgresql" else ""
    for table in tables:
        connection.execute(text(f"DROP TABLE {table}{tail}"))


def class_of(store: Store) -> tuple[str, dict[str, SubmissionTime] | None]:
    batch = store.classes.find_last_graded_class("")
    assert batch is not None
    told = {one.name: one.submission_time for one in store.classes.iterate_entries(batch) if one.submission_time}
    return batch.platform_name, told or None


def test_a_store_of_version_one_knows_no_platform_and_no_hand_ins(url: URL) -> None:
    with open_or_create_store(left_by(1, url)) as store:
        assert class_of(store) == ("", None)


def test_a_store_of_version_two_knows_the_members_of_its_groups_by_their_origin(url: URL) -> None:
    with open_or_create_store(left_by(2, url)) as store:
        platform, hand_ins = class_of(store)
    assert platform == "gradescope"
    assert hand_ins == {
        "submission_1": SubmissionTime(
            "ada@uni.example + bob@uni.example", WHEN, (("ada@uni.example",), ("bob@uni.example",))
        ),
        "submission_2": SubmissionTime("zoe@uni.example", WHEN, (("zoe@uni.example",),)),
    }


def test_a_store_of_version_three_knows_the_members_of_its_groups(url: URL) -> None:
    with open_or_create_store(left_by(3, url)) as store:
        _, hand_ins = class_of(store)
    assert hand_ins is not None
    assert hand_ins["submission_1"].members == (("ada@uni.example", "Ada"),)


def test_a_store_of_version_sixteen_keeps_each_value_under_the_columns_new_name(url: URL) -> None:
    left_by(16, url)
    filled = {
        table: {former: f"a {former}" for former in columns if former != "place" or table == "audit"}
        for table, columns in NEW_NAMES.items()
        if table not in ("results", "versions")
    }

    def fill(connection: Connection) -> None:
        for table, values in filled.items():
            assignments = ", ".join(f"{name} = :{name}" for name in values)
            if assignments:
                connection.execute(text(f"UPDATE {table} SET {assignments}"), values)

    in_database(url, fill)
    with open_or_create_store(url):
        pass
    after = in_database(url, everything)
    for table, values in filled.items():
        assert after[table]
        for former, value in values.items():
            assert {row[NEW_NAMES[table][former]] for row in after[table]} == {value}, (table, former)


def test_a_store_that_several_runs_open_at_once_is_brought_up_by_one_of_them(url: URL) -> None:
    left_by(1, url)
    together = Barrier(4)

    def opened(_: int) -> str:
        together.wait()
        with open_or_create_store(url) as store:
            return class_of(store)[0]

    with ThreadPoolExecutor(4) as threads:
        assert [*threads.map(opened, range(4))] == [""] * 4
    assert in_database(url, state) == (HEAD, [])


def test_a_step_that_fails_leaves_the_store_as_it_was(url: URL) -> None:
    left_by(1, url)
    in_database(url, lambda connection: connection.execute(text("CREATE TABLE audit (other INTEGER)")))
    before = in_database(url, everything)
    with pytest.raises(CallerFault, match=r"cannot open the database: .*already exists"), open_or_create_store(url):
        pass
    assert in_database(url, everything) == before
    assert in_database(url, read_current_revision) == "0001"


@pytest.mark.parametrize("how", ["UPDATE autograder_steps SET version_num = '0099'", "an earlier kit's"])
def test_a_store_of_a_later_version_is_not_opened(how: str, url: URL) -> None:
    with open_or_create_store(url):
        pass
    if how == "an earlier kit's":
        in_database(url, lambda connection: connection.execute(text(f"DROP TABLE {TABLE}")))
        how = "UPDATE autograder_schema SET version = 99"
    in_database(url, lambda connection: connection.execute(text(how)))
    with pytest.raises(CallerFault, match="later version of the kit") as caught, open_or_create_store(url):
        pass
    assert "grade with that version" in caught.value.advice


def test_a_kit_that_knows_nothing_of_steps_is_kept_from_a_present_store(url: URL) -> None:
    with open_or_create_store(url):
        pass
    found = in_database(
        url, lambda connection: connection.execute(text("SELECT version FROM autograder_schema")).all()
    )
    assert found == [(4,)]  # a kit of 0.2.0 opens nothing beyond 3


def test_another_programs_table_of_alembics_is_left_alone(url: URL) -> None:
    def made(connection: Connection) -> None:
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
        connection.execute(text("INSERT INTO alembic_version VALUES ('ffff')"))

    in_database(url, made)
    with open_or_create_store(url):
        pass
    query = text("SELECT version_num FROM alembic_version")
    assert in_database(url, lambda connection: connection.execute(query).scalar()) == "ffff"


def test_steps_are_one_line_of_four_digits_and_the_last_is_the_present_one() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(autograder.store.migrations.__file__).parent))
    steps = [one.revision for one in ScriptDirectory.from_config(config).walk_revisions()]
    assert steps[0] == HEAD, "set HEAD in autograder/store/schema_migration.py to the last step"
    assert steps == [f"{number:04}" for number in range(int(HEAD), 0, -1)]


def test_every_version_before_the_present_one_has_a_store_for_both_databases() -> None:
    """Who adds a step runs ``python -m tests.store.dump_store`` for the version that was the present one."""
    for version in VERSIONS:
        for ending in ("sql", "postgresql.sql"):
            path = DATA / f"store-{version}.{ending}"
            assert path.is_file(), f"{path.name} is missing: run python -m tests.store.dump_store {version}"
            script = path.read_text(encoding="utf-8")
            assert version <= 3 or f"('{version:04}')" in script
