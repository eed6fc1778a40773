"""Define the tables of marks that go to platforms."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, String, Table, Text, UniqueConstraint

from autograder.store.column_encoding import Json, SurrogateText, UtcTime, utc_now
from autograder.store.core_table_definitions import metadata
from autograder.store.lti.outbox_mark import MarkWithComment

marks = Table(
    "lti_marks",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("line_item", Integer, ForeignKey("lti_line_items.id"), nullable=False),
    Column("person", Integer, ForeignKey("lti_people.id"), nullable=False),
    Column("url", SurrogateText, nullable=False),
    Column("version", Integer, nullable=False, default=1),
    Column("value", Json(MarkWithComment), nullable=False),
    Column("state", String(16), nullable=False),
    Column("confirmed", Json(MarkWithComment)),
    Column("in_doubt", Json(tuple[MarkWithComment, ...]), nullable=False, default=()),
    Column("last_timestamp", UtcTime),
    Column("overwrites", Boolean, nullable=False, default=False),
    Column("tries", Integer, nullable=False, default=0),
    Column("next_try", UtcTime, nullable=False, default=utc_now),
    Column("worker", SurrogateText, nullable=False, default=""),
    Column("lease_until", UtcTime),
    Column("answer", Text, nullable=False),
    Column("changed_at", UtcTime, nullable=False, default=utc_now),
    UniqueConstraint("line_item", "person", name="one_lti_mark"),
    Index("lti_marks_by_state", "state", "next_try"),
)
"""The mark of one person in one line item: the latest version alone. See ``outbox_mark.OutboxMark``."""

attempts = Table(
    "lti_mark_attempts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("mark", Integer, ForeignKey("lti_marks.id"), nullable=False),
    Column("recorded_at", UtcTime, nullable=False, default=utc_now),
    Column("kind", String(16), nullable=False),
    Column("version", Integer, nullable=False),
    Column("value", Json(MarkWithComment)),
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
