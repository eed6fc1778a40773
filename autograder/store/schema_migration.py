"""Make the tables of a store, or bring up to date those that an earlier version of the kit made."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Column, Connection, MetaData, PrimaryKeyConstraint, String, Table, insert, inspect, text

from autograder.faults import CallerFault
from autograder.store import core_table_definitions

HEAD = "0019"
"""The latest revision: the last step in ``migrations``. It has four digits, so that a later one is a greater text."""
TABLE = "autograder_steps"
"""The table with a store's revision. It has its own name, because other programs may use Alembic in the database."""
LAST_VERSION_BEFORE_STEPS = 4
"""The version in the table that kits up to 0.2.0 check; they refuse any version above 3."""
LOCK = 6_021_703
"""The number of the advisory lock; an arbitrary one that other programs hardly use."""


def create_or_upgrade_tables(connection: Connection, store_name: str) -> None:
    """Bring the tables of a store to the present version; runs that open it at once wait for each other.

    Args:
        connection: a connection to the store; a transaction that is open on it is rolled back.
        store_name: the store, for messages.

    Raises:
        CallerFault: a later version of the kit wrote the store.
    """
    if read_current_revision(connection) == HEAD:
        connection.rollback()
        return
    connection.rollback()
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # else each statement would be a transaction of its own
    else:
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK})
    revision = read_current_revision(connection)  # another run may have done it meanwhile
    if revision > HEAD:
        raise CallerFault(
            f"a later version of the kit wrote this store (its tables have version {revision}, known here: {HEAD})",
            where=store_name,
            advice="grade with that version, or name another with --store or --out",
        )
    if not revision:
        _create_present_tables(connection)
    elif revision < HEAD:
        _upgrade_tables(connection, revision)
    connection.commit()


def read_current_revision(connection: Connection) -> str:
    """Return the revision of a store's tables, the last step that they have seen; empty for a new store."""
    inspector = inspect(connection)
    if inspector.has_table(TABLE):
        return str(connection.execute(text(f"SELECT version_num FROM {TABLE}")).scalar() or "")
    if inspector.has_table("autograder_schema"):  # kits up to 0.2.0 counted for themselves
        version = connection.execute(text("SELECT max(version) FROM autograder_schema")).scalar()
        return f"{version:04}" if version else ""
    return ""


def _create_present_tables(connection: Connection) -> None:
    """Create the present tables directly, which takes a quarter of the time of all the steps."""
    core_table_definitions.metadata.create_all(connection, checkfirst=False)
    connection.execute(insert(core_table_definitions.schema).values(version=LAST_VERSION_BEFORE_STEPS))
    name = "version_num"  # the table is as Alembic makes it
    steps = Table(TABLE, MetaData(), Column(name, String(32)), PrimaryKeyConstraint(name, name=f"{TABLE}_pkc"))
    steps.create(connection, checkfirst=False)
    connection.execute(insert(steps).values(version_num=HEAD))


def _upgrade_tables(connection: Connection, revision: str) -> None:
    from alembic import command  # slow, and seldom needed
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.attributes["connection"] = connection
    command.stamp(config, revision)
    command.upgrade(config, HEAD)
