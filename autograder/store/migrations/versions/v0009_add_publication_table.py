"""Add when the results of an assignment were published, and taken back."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Boolean, Column, ForeignKey, Integer, Text

revision, down_revision = "0009", "0008"


def upgrade() -> None:
    """Add the table of publications."""
    op.create_table(
        "web_publications",
        Column("id", Integer, primary_key=True),
        Column("course", Text, nullable=False),
        Column("assignment", Text, nullable=False),
        Column("is_published", Boolean, nullable=False),
        Column("account", Integer, ForeignKey("web_accounts.id"), nullable=False),
        Column("decided_at", Text, nullable=False),
    )
    op.create_index("publications_of_an_assignment", "web_publications", ["course", "assignment"])
