"""Add results, assignment versions, batches and their members."""

from __future__ import annotations

from alembic import op
from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    String,
    Text,
    UniqueConstraint,
)

revision, down_revision = "0001", None


def upgrade() -> None:
    """Make the tables of the first version."""
    op.create_table("autograder_schema", Column("version", Integer, primary_key=True, autoincrement=False))
    op.execute("INSERT INTO autograder_schema (version) VALUES (1)")
    op.create_table(
        "results",
        Column("id", Integer, primary_key=True),
        Column("identity", String(64), nullable=False),
        Column("assignment", Text, nullable=False),
        Column("version", String(16), nullable=False),
        Column("kit", Text, nullable=False),
        Column("conditions", String(16), nullable=False),
        Column("known", String(16), nullable=False),
        Column("sha256", String(64), nullable=False),
        Column("final", Boolean, nullable=False),
        Column("status", Text, nullable=False),
        Column("score", Float, nullable=False),
        Column("graded_at", Text, nullable=False),
        Column("report", LargeBinary, nullable=False),
        Column("kept", LargeBinary, nullable=False),
        Column("raw", LargeBinary, nullable=False),
        UniqueConstraint("identity", "assignment", "version", "kit", "conditions", "known", name="what_decides_it"),
    )
    op.create_table(
        "versions",
        Column("assignment", Text),
        Column("version", String(16)),
        Column("known", String(16)),
        Column("manifest", Text, nullable=False),
        PrimaryKeyConstraint("assignment", "version", "known"),
    )
    op.create_table(
        "batches",
        Column("id", Integer, primary_key=True),
        Column("name", Text, nullable=False),
        Column("assignment", Text, nullable=False),
        Column("source", Text, nullable=False),
        Column("version", String(16), nullable=False),
        Column("kit", Text, nullable=False),
        Column("conditions", String(16), nullable=False),
        Column("known", String(16), nullable=False),
        Column("ran_at", Text, nullable=False),
        UniqueConstraint("name", "assignment", name="one_batch"),
    )
    op.create_table(
        "members",
        Column("batch", Integer, ForeignKey("batches.id"), autoincrement=False),
        Column("name", Text),
        Column("place", Integer, nullable=False),
        Column("path", Text, nullable=False),
        Column("problem", Text, nullable=False),
        Column("identity", String(64), nullable=False),
        Column("sha256", String(64), nullable=False),
        Column("student", Text, nullable=False),
        Column("handed_in", Text, nullable=False),
        PrimaryKeyConstraint("batch", "name"),
    )
    op.create_index("in_order", "members", ["batch", "place"])
