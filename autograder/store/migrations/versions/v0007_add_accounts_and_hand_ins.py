"""Add accounts, invitations and what was handed in on the web."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, ForeignKey, Integer, LargeBinary, String, Text, UniqueConstraint

revision, down_revision = "0007", "0006"


def upgrade() -> None:
    """Add the tables of the web service."""
    op.create_table(
        "web_accounts",
        Column("id", Integer, primary_key=True),
        Column("login", Text, nullable=False, unique=True),
        Column("name", Text, nullable=False),
        Column("made_at", Text, nullable=False),
    )
    op.create_table(
        "web_enrolments",
        Column("account", Integer, ForeignKey("web_accounts.id"), primary_key=True),
        Column("course", Text, primary_key=True),
        Column("role", String(24), nullable=False),
        Column("team", Text, nullable=False),
    )
    op.create_table(
        "web_invitations",
        Column("id", Integer, primary_key=True),
        Column("token", String(64), nullable=False, unique=True),
        Column("account", Integer, ForeignKey("web_accounts.id"), nullable=False),
        Column("made_at", Text, nullable=False),
        Column("expires_at", Text, nullable=False),
        Column("used_at", Text, nullable=False),
        Column("revoked_at", Text, nullable=False),
    )
    op.create_index("invitations_of_an_account", "web_invitations", ["account"])
    op.create_table(
        "web_sign_ins",
        Column("token", String(64), primary_key=True),
        Column("account", Integer, ForeignKey("web_accounts.id"), nullable=False),
        Column("made_at", Text, nullable=False),
        Column("expires_at", Text, nullable=False),
    )
    op.create_index("sign_ins_of_an_account", "web_sign_ins", ["account"])
    op.create_table(
        "web_hand_ins",
        Column("id", Integer, primary_key=True),
        Column("key", String(32), nullable=False, unique=True),
        Column("course", Text, nullable=False),
        Column("assignment", Text, nullable=False),
        Column("owner", Text, nullable=False),
        Column("attempt", Integer, nullable=False),
        Column("submission", Text, nullable=False),
        Column("account", Integer, ForeignKey("web_accounts.id"), nullable=False),
        Column("file_name", Text, nullable=False),
        Column("size", Integer, nullable=False),
        Column("sha256", String(64), nullable=False),
        Column("handed_in", Text, nullable=False),
        Column("state", String(16), nullable=False),
        Column("tries", Integer, nullable=False),
        Column("worker", Text, nullable=False),
        Column("lease_until", Text, nullable=False),
        Column("problem", Text, nullable=False),
        Column("content", LargeBinary, nullable=False),
        UniqueConstraint("course", "assignment", "owner", "attempt", name="one_attempt"),
    )
    op.create_index("hand_ins_by_state", "web_hand_ins", ["state", "id"])
    op.create_table(
        "web_hand_in_members",
        Column("hand_in", Integer, ForeignKey("web_hand_ins.id"), primary_key=True),
        Column("account", Integer, ForeignKey("web_accounts.id"), primary_key=True),
    )
    op.create_index("hand_ins_of_an_account", "web_hand_in_members", ["account"])
