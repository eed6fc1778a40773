"""Add regrades that were tried: which marks would change."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Boolean, Column, Float, ForeignKey, Integer, String, Text

revision, down_revision = "0010", "0009"


def upgrade() -> None:
    """Add the tables of regrade trials and their marks."""
    op.create_table(
        "web_regrade_trials",
        Column("id", Integer, primary_key=True),
        Column("key", String(32), nullable=False, unique=True),
        Column("course", Text, nullable=False),
        Column("assignment", Text, nullable=False),
        Column("version", String(16), nullable=False),
        Column("account", Integer, ForeignKey("web_accounts.id"), nullable=False),
        Column("begun_at", Text, nullable=False),
        Column("carried_out_at", Text, nullable=False),
    )
    op.create_table(
        "web_regrade_trial_marks",
        Column("trial", Integer, ForeignKey("web_regrade_trials.id"), primary_key=True),
        Column("hand_in", Integer, ForeignKey("web_hand_ins.id"), primary_key=True),
        Column("state", String(16), nullable=False),
        Column("difference", Float, nullable=False),
        Column("is_lowered", Boolean, nullable=False),
        Column("lines", Text, nullable=False),
    )
