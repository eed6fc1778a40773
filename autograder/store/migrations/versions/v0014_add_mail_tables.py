"""Add mails that wait to be sent, and which mails somebody wants."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, ForeignKey, Integer, String, Text

revision, down_revision = "0014", "0013"


def upgrade() -> None:
    """Add the tables of mails and of mail settings."""
    op.create_table(
        "web_mails",
        Column("id", Integer, primary_key=True),
        Column("key", String(32), nullable=False, unique=True),
        Column("course", Text, nullable=False),
        Column("account", Integer, ForeignKey("web_accounts.id"), nullable=False),
        Column("hand_in", Integer, ForeignKey("web_hand_ins.id"), nullable=False),
        Column("inquiry", Integer, ForeignKey("web_inquiries.id")),
        Column("kind", String(16), nullable=False),
        Column("state", String(16), nullable=False),
        Column("tries", Integer, nullable=False),
        Column("due_at", Text, nullable=False),
        Column("problem", Text, nullable=False),
    )
    op.create_index("mails_by_state", "web_mails", ["state", "due_at"])
    op.create_table(
        "web_mail_settings",
        Column("account", Integer, ForeignKey("web_accounts.id"), primary_key=True),
        Column("address", Text, nullable=False),
        Column("unwanted", Text, nullable=False),
    )
