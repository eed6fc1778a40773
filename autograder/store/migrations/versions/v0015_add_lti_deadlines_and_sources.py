"""Add deadlines that platforms of LTI say, and whether they count."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, ForeignKey, Integer, String, Text

revision, down_revision = "0015", "0014"


def upgrade() -> None:
    """Add the tables of LTI deadlines, and of whose deadline counts."""
    op.create_table(
        "lti_deadlines",
        Column("id", Integer, primary_key=True),
        Column("line_item", Integer, ForeignKey("lti_line_items.id"), nullable=False),
        Column("person", Integer, ForeignKey("lti_people.id")),
        Column("moment", Text, nullable=False),
        Column("said_by", String(16), nullable=False),
        Column("said_at", Text, nullable=False),
    )
    op.create_table(
        "lti_deadline_sources",
        Column("course", Text, primary_key=True),
        Column("assignment", Text, primary_key=True),
        Column("source", String(16), nullable=False),
    )
