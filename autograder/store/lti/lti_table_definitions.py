"""Define the tables of LTI."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

from sqlalchemy import Boolean, Column, ForeignKey, Integer, String, Table, Text, UniqueConstraint

from autograder.store.column_encoding import Json, SurrogateText, UtcTime, utc_now
from autograder.store.core_table_definitions import metadata

Kind = TypeVar("Kind")


def read_row(kind: type[Kind], row: Any) -> Kind:
    """Return a row as a value of a dataclass whose fields are called as its columns."""
    return kind(**{field.name: getattr(row, field.name) for field in fields(kind)})  # type: ignore[arg-type]


platforms = Table(
    "lti_platforms",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", SurrogateText, nullable=False, unique=True),
    Column("kind", String(24), nullable=False),
    Column("issuer", SurrogateText, nullable=False),
    Column("client_id", SurrogateText, nullable=False),
    Column("login_url", SurrogateText, nullable=False),
    Column("token_url", SurrogateText, nullable=False),
    Column("keys_url", SurrogateText, nullable=False),
    Column("token_audience", SurrogateText, nullable=False),
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
    Column("deployment", SurrogateText, nullable=False),
    Column("subject", SurrogateText, nullable=False),
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
    Column("deployment", SurrogateText, nullable=False),
    Column("context", SurrogateText, nullable=False),
    Column("title", SurrogateText, nullable=False, default=""),
    Column("course", SurrogateText, nullable=False),
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
