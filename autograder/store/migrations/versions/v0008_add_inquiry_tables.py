"""Add questions that students ask about their results, and the answers."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, ForeignKey, Integer, String, Text, UniqueConstraint

revision, down_revision = "0008", "0007"


def upgrade() -> None:
    """Add the tables of inquiries, their entries, and who has read them."""
    op.create_table(
        "web_inquiries",
        Column("id", Integer, primary_key=True),
        Column("key", String(32), nullable=False, unique=True),
        Column("hand_in", Integer, ForeignKey("web_hand_ins.id"), nullable=False),
        Column("test", Text, nullable=False),
        Column("state", String(16), nullable=False),
        Column("changed_at", Text, nullable=False),
        UniqueConstraint("hand_in", "test", name="one_inquiry"),
    )
    op.create_table(
        "web_inquiry_entries",
        Column("id", Integer, primary_key=True),
        Column("inquiry", Integer, ForeignKey("web_inquiries.id"), nullable=False),
        Column("account", Integer, ForeignKey("web_accounts.id"), nullable=False),
        Column("kind", String(16), nullable=False),
        Column("text", Text, nullable=False),
        Column("written_at", Text, nullable=False),
    )
    op.create_index("entries_of_an_inquiry", "web_inquiry_entries", ["inquiry"])
    op.create_table(
        "web_inquiry_readers",
        Column("inquiry", Integer, ForeignKey("web_inquiries.id"), primary_key=True),
        Column("account", Integer, ForeignKey("web_accounts.id"), primary_key=True),
        Column("last_read", Integer, nullable=False),
    )
