"""Bring the tables of an open connection up to date, within its transaction; Alembic runs this file."""

from __future__ import annotations

from alembic import context

from autograder.store.schema_migration import TABLE

context.configure(connection=context.config.attributes["connection"], version_table=TABLE)
with context.begin_transaction():
    context.run_migrations()
