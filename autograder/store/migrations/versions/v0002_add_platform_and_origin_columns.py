"""Add where submissions came from."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Text

revision, down_revision = "0002", "0001"


def upgrade() -> None:
    """Add the platform of a class, and the origin of each submission."""
    op.add_column("batches", Column("platform", Text, nullable=False, server_default=""))
    op.add_column("members", Column("origin", Text, nullable=False, server_default=""))
