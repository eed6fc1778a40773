"""Add who of a group handed in."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Text

revision, down_revision = "0003", "0002"


def upgrade() -> None:
    """Add the column ``students`` to members: all the students who handed a submission in."""
    op.add_column("members", Column("students", Text, nullable=False, server_default=""))
