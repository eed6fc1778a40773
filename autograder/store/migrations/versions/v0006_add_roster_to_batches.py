"""Add the course's list of students."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Text

revision, down_revision = "0006", "0005"


def upgrade() -> None:
    """Add the column of the list of students to batches."""
    op.add_column("batches", Column("roster", Text, nullable=False, server_default=""))
