"""Add marks that go to platforms of LTI, every attempt to send one, and when they are sent."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Boolean, Column, ForeignKey, Integer, String, Text, UniqueConstraint

revision, down_revision = "0013", "0012"


def upgrade() -> None:
    """Add the tables of LTI marks, of attempts to send them, and of when they are sent."""
    op.create_table(
        "lti_marks",
        Column("id", Integer, primary_key=True),
        Column("line_item", Integer, ForeignKey("lti_line_items.id"), nullable=False),
        Column("person", Integer, ForeignKey("lti_people.id"), nullable=False),
        Column("url", Text, nullable=False),
        Column("version", Integer, nullable=False),
        Column("value", Text, nullable=False),
        Column("state", String(16), nullable=False),
        Column("confirmed", Text, nullable=False),
        Column("in_doubt", Text, nullable=False),
        Column("last_timestamp", Text, nullable=False),
        Column("overwrites", Boolean, nullable=False),
        Column("tries", Integer, nullable=False),
        Column("next_try", Text, nullable=False),
        Column("worker", Text, nullable=False),
        Column("lease_until", Text, nullable=False),
        Column("answer", Text, nullable=False),
        Column("changed_at", Text, nullable=False),
        UniqueConstraint("line_item", "person", name="one_lti_mark"),
    )
    op.create_index("lti_marks_by_state", "lti_marks", ["state", "next_try"])
    op.create_table(
        "lti_mark_attempts",
        Column("id", Integer, primary_key=True),
        Column("mark", Integer, ForeignKey("lti_marks.id"), nullable=False),
        Column("at", Text, nullable=False),
        Column("what", String(16), nullable=False),
        Column("version", Integer, nullable=False),
        Column("value", Text, nullable=False),
        Column("status", Integer, nullable=False),
        Column("answer", Text, nullable=False),
    )
    op.create_index("lti_mark_attempts_by_mark", "lti_mark_attempts", ["mark"])
    op.create_table(
        "lti_mark_settings",
        Column("line_item", Integer, ForeignKey("lti_line_items.id"), primary_key=True),
        Column("send_when", String(16), nullable=False),
    )
