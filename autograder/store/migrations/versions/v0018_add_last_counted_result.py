"""Add which result of a submission counted last in its class."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, Integer

revision, down_revision = "0018", "0017"


def upgrade() -> None:
    """Add the column to members; what counted in earlier runs is not known."""
    op.add_column("members", Column("last_result", Integer))
