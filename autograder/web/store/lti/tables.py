"""Define the tables of LTI, the marks in them, and how rows are found."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Generic, Literal, TypeVar, get_args

import msgspec
from sqlalchemy import (
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
    and_,
    insert,
    select,
    update,
)

from autograder.store.session import StorePart
from autograder.store.tables import Json, SurrogateText, UtcTime, metadata, required, utc_now

platforms = Table(
    "lti_platforms",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", SurrogateText, nullable=False, unique=True),
    Column("kind", String(24), nullable=False),
    *required(SurrogateText, "issuer", "client_id", "login_url", "token_url", "keys_url", "token_audience"),
    Column("deployments", Json(tuple[str, ...]), nullable=False),
    Column("allow_private", Boolean, nullable=False),
    Column("made_at", UtcTime, nullable=False, default=utc_now),
    Column("removed_at", UtcTime),
)
"""Learning management systems. One that was removed keeps its row, because people and line items are of it; its
name is then free again. See ``lti_platform_table.LtiPlatform``."""

tickets = Table(
    "lti_tickets",
    metadata,
    Column("token", String(64), primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("data", Json(dict[str, Any]), nullable=False),
    Column("expires_at", UtcTime, nullable=False),
)
"""One-time tickets: logins that wait for their launch (state and nonce), sign-ins from a frame, selections of
content, registrations. Each is found by the SHA-256 of its token, and deleted when it is used."""

people = Table(
    "lti_people",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("platform", Integer, ForeignKey("lti_platforms.id"), nullable=False),
    *required(SurrogateText, "deployment", "subject"),
    Column("account", Integer, ForeignKey("web_accounts.id"), nullable=False),
    Column("own_account", Integer, ForeignKey("web_accounts.id"), nullable=False, unique=True),
    Column("state", String(16), nullable=False),
    Column("proposed_account", Integer, ForeignKey("web_accounts.id")),
    Column("is_test_user", Boolean, nullable=False),
    Column("made_at", UtcTime, nullable=False, default=utc_now),
    UniqueConstraint("platform", "deployment", "subject", name="one_lti_person"),
)
"""Users of platforms, and their accounts here. See ``lti_person_table.LtiPerson``."""

contexts = Table(
    "lti_contexts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("platform", Integer, ForeignKey("lti_platforms.id"), nullable=False),
    *required(SurrogateText, "deployment", "context", "course"),
    Column("title", SurrogateText, nullable=False, default=""),
    Column("is_connected", Boolean, nullable=False),
    Column("members_url", SurrogateText, nullable=False, default=""),
    Column("line_items_url", SurrogateText, nullable=False, default=""),
    Column("scopes", Json(tuple[str, ...]), nullable=False, default=()),
    Column("members_read_at", UtcTime),
    Column("made_at", UtcTime, nullable=False, default=utc_now),
    UniqueConstraint("platform", "deployment", "context", name="one_lti_context"),
)
"""Courses of platforms, and the course here that each asked for. See ``lti_context_table.LtiContext``."""

memberships = Table(
    "lti_memberships",
    metadata,
    Column("context", Integer, ForeignKey("lti_contexts.id"), primary_key=True),
    Column("person", Integer, ForeignKey("lti_people.id"), primary_key=True),
    Column("role", String(24), nullable=False),
    Column("left_at", UtcTime),
)
"""Members of platforms' courses by the last list; former members stay, with the time at which they were missed."""

line_items = Table(
    "lti_line_items",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("context", Integer, ForeignKey("lti_contexts.id"), nullable=False),
    Column("resource_link", SurrogateText, nullable=False),
    Column("assignment", Text, nullable=False),
    Column("line_item_url", SurrogateText, nullable=False, default=""),
    Column("line_items_url", SurrogateText, nullable=False, default=""),
    Column("scopes", Json(tuple[str, ...]), nullable=False, default=()),
    Column("changed_at", UtcTime, nullable=False, default=utc_now),
    UniqueConstraint("context", "resource_link", name="one_lti_link"),
)
"""Links to assignments in courses of platforms, with the columns of their gradebooks. See
``lti_resource_link_table.LtiResourceLink``."""

deadlines = Table(
    "lti_deadlines",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("line_item", Integer, ForeignKey("lti_line_items.id"), nullable=False),
    Column("person", Integer, ForeignKey("lti_people.id")),
    Column("deadline", UtcTime, nullable=False),
    Column("said_by", String(16), nullable=False),
    Column("said_at", UtcTime, nullable=False, default=utc_now),
)
"""Deadlines as platforms said them last: for everybody who follows a link, or for one person. See
``lti_deadline_table.PlatformDeadline``."""

deadline_sources = Table(
    "lti_deadline_sources",
    metadata,
    Column("course", SurrogateText, primary_key=True),
    Column("assignment", Text, primary_key=True),
    Column("source", String(16), nullable=False),
)
"""Whose deadline counts for an assignment, if the staff chose."""


MarkState = Literal["queued", "sending", "sent", "rejected", "kept", "withheld", "skipped"]
"""``kept``: a person set another mark on the platform, and it stays. ``withheld``: students may not see it yet.
``skipped``: this person gets no marks, such as a teacher or somebody who left, or the line item was deleted."""
SendPolicy = Literal["at once", "after due date", "on publishing"]
"""When to send; in every case, no mark is sent before its student may see it here."""
SEND_POLICIES: tuple[SendPolicy, ...] = get_args(SendPolicy)


class MarkWithComment(msgspec.Struct, frozen=True):
    """A mark and its comment, as they stand in a gradebook."""

    points: float
    maximum: float
    comment: str
    submitted_at: str = ""
    """When it was handed in, ISO 8601 with a time zone; empty where that is not known."""


@dataclass(frozen=True, slots=True)
class OutboxMark:
    """The mark of one person in one line item, and how far it is."""

    id: int
    line_item: int
    """The number of an ``LtiResourceLink``."""
    person: int
    """The number of an ``LtiPerson``."""
    url: str
    """The line item's URL; the record of what was sent applies to this URL alone."""
    version: int
    """Grows with every change of the mark."""
    value: MarkWithComment
    """The wanted mark."""
    state: MarkState
    confirmed: MarkWithComment | None
    """The mark that the platform accepted last; None if there was none yet."""
    in_doubt: tuple[MarkWithComment, ...]
    """Marks sent since then, without an answer that tells whether the platform accepted them."""
    last_timestamp: datetime | None
    """The timestamp of the last message that was sent, with any outcome."""
    overwrites: bool
    """Whether the staff allowed replacing a person's mark on the platform this once."""
    tries: int
    next_try: datetime
    answer: str
    """What the platform said last, or why the mark is not sent; escaped."""


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
    *required(Integer, "version", "status"),
    Column("value", Json(MarkWithComment)),
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


Record = TypeVar("Record")


class RecordTable(StorePart, Generic[Record]):
    """A table with a row for each record.

    Attributes:
        table: the table, which has an ``id``.
        kind: the dataclass of a record; its fields are called as the table's columns.
    """

    table: ClassVar[Table]
    kind: type[Record]

    def find(self, **values: Any) -> Record | None:
        """Return the record with these values, such as ``id=7``; None if there is none."""
        return self._session.fetch_one_as(self.kind, select(self.table).filter_by(**values))

    def list_all(self, **values: Any) -> list[Record]:
        """Return the records with these values, in the order in which they were added."""
        return self._session.fetch_all_as(self.kind, select(self.table).filter_by(**values).order_by(self.table.c.id))

    def add_or_update_record(self, key: dict[str, Any], if_new: dict[str, Any], **values: Any) -> Record:
        """Change the values of the record with a key, or add it with those that only a new one gets; return it."""
        with self._session.transaction():
            is_record = and_(*(self.table.c[name] == value for name, value in key.items()))
            if self._session.fetch_one(select(self.table.c.id).where(is_record)) is None:
                self._session.execute(insert(self.table).values(**key, **if_new, **values))
            elif values:
                self._session.execute(update(self.table).where(is_record).values(**values))
        record = self.find(**key)
        assert record is not None
        return record

    def _update(self, record_id: int, **values: Any) -> None:
        self._session.execute_and_commit(update(self.table).where(self.table.c.id == record_id).values(**values))
