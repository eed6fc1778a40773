"""Add to hand-ins when their owners' turn is, and whether they wait behind those that students just sent."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Boolean, Column, Integer, false

revision, down_revision = "0019", "0018"


def upgrade() -> None:
    """Add the columns; what waits already is graded in the order of its arrival."""
    op.add_column("web_hand_ins", Column("is_behind", Boolean, nullable=False, server_default=false()))
    op.add_column("web_hand_ins", Column("turn", Integer, nullable=False, server_default="0"))
