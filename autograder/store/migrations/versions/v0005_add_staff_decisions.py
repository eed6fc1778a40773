"""Add what staff decided."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, ForeignKey, Integer, String, Text

revision, down_revision = "0005", "0004"


def upgrade() -> None:
    """Add the table of staff decisions."""
    op.create_table(
        "decisions",
        Column("id", Integer, primary_key=True),
        Column("batch", Integer, ForeignKey("batches.id"), nullable=False),
        Column("kind", String(16), nullable=False),
        Column("who", Text, nullable=False),
        Column("subject", Text, nullable=False),
        Column("value", Text, nullable=False),
        Column("reason", Text, nullable=False),
        Column("author", Text, nullable=False),
        Column("account", Text, nullable=False),
        Column("decided_at", Text, nullable=False),
        Column("sha256", String(64), nullable=False),
        Column("run", String(32), nullable=False),
        Column("undone_at", Text, nullable=False),
        Column("undone_by", Text, nullable=False),
    )
    op.create_index("decisions_about_a_class", "decisions", ["batch"])
