"""Add workers, when each was last seen, and what went wrong on the server."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Integer, Text

revision, down_revision = "0011", "0010"


def upgrade() -> None:
    """Add the tables of workers and faults."""
    op.create_table(
        "web_workers",
        Column("course", Text, primary_key=True),
        Column("name", Text, primary_key=True),
        Column("tier", Text, nullable=False),
        Column("kit", Text, nullable=False),
        Column("python", Text, nullable=False),
        Column("started_at", Text, nullable=False),
        Column("seen_at", Text, nullable=False),
        Column("ended_at", Text, nullable=False),
    )
    op.create_table(
        "web_faults",
        Column("id", Integer, primary_key=True),
        Column("course", Text, nullable=False),
        Column("source", Text, nullable=False),
        Column("text", Text, nullable=False),
        Column("happened_at", Text, nullable=False),
    )
    op.create_index("faults_of_a_course", "web_faults", ["course"])
