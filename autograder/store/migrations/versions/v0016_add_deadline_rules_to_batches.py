"""Add the deadline rules that a class's marks follow."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Text

revision, down_revision = "0016", "0015"


def upgrade() -> None:
    """Add the column of deadline rules to batches; those of earlier runs are not known."""
    op.add_column("batches", Column("deadline_rules", Text, nullable=False, server_default=""))
