"""Add the audit table; Alembic counts the versions from here on."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Boolean, Column, Integer, String, Text

revision, down_revision = "0004", "0003"


def upgrade() -> None:
    """Add the audit table."""
    op.create_table(
        "audit",
        Column("id", Integer, primary_key=True),
        Column("at", Text, nullable=False),
        Column("action", Text, nullable=False),
        Column("run", String(32), nullable=False),
        Column("account", Text, nullable=False),
        Column("as_account", Text, nullable=False),
        Column("platform", Text, nullable=False),
        Column("class_name", Text, nullable=False),
        Column("assignment", Text, nullable=False),
        Column("place", Text, nullable=False),
        Column("student", Text, nullable=False),
        Column("label", Text, nullable=False),
        Column("submission", Text, nullable=False),
        Column("what", String(16), nullable=False),
        Column("before", Text, nullable=False),
        Column("after", Text, nullable=False),
        Column("seen", Text, nullable=False),
        Column("overwrote", Boolean, nullable=False),
        Column("state", String(16), nullable=False),
        Column("answer", Text, nullable=False),
    )
    op.create_index("audit_of_a_class", "audit", ["class_name", "assignment", "platform"])
    op.execute("UPDATE autograder_schema SET version = 4")  # a kit up to 0.2.0 opens nothing beyond 3
