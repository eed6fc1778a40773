"""Define the tables of marks that go to platforms."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, String, Table, Text, UniqueConstraint

from autograder.store.core_table_definitions import metadata

marks = Table(
    "lti_marks",
    metadata,
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
    Index("lti_marks_by_state", "state", "next_try"),
)
"""The mark of one person in one line item: the latest version alone. See ``outbox_mark.OutboxMark``."""

attempts = Table(
    "lti_mark_attempts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("mark", Integer, ForeignKey("lti_marks.id"), nullable=False),
    Column("recorded_at", Text, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("version", Integer, nullable=False),
    Column("value", Text, nullable=False),
    Column("status", Integer, nullable=False),
    Column("answer", Text, nullable=False),
    Index("lti_mark_attempts_by_mark", "mark"),
)
"""Requests to a platform about a mark, and the answers. Rows are deleted with the account."""

settings = Table(
    "lti_mark_settings",
    metadata,
    Column("line_item", Integer, ForeignKey("lti_line_items.id"), primary_key=True),
    Column("send_when", String(16), nullable=False),
)
"""When the marks of a line item are sent, where somebody said; see ``outbox_mark.SendPolicy``."""
