"""Add platforms of LTI, what works once, and the people, courses and line items there."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Boolean, Column, ForeignKey, Integer, String, Text, UniqueConstraint

revision, down_revision = "0012", "0011"


def upgrade() -> None:
    """Add the tables of LTI."""
    op.create_table(
        "lti_platforms",
        Column("id", Integer, primary_key=True),
        Column("name", Text, nullable=False, unique=True),
        Column("kind", String(24), nullable=False),
        Column("issuer", Text, nullable=False),
        Column("client_id", Text, nullable=False),
        Column("login_url", Text, nullable=False),
        Column("token_url", Text, nullable=False),
        Column("keys_url", Text, nullable=False),
        Column("token_audience", Text, nullable=False),
        Column("allow_private", Boolean, nullable=False),
        Column("made_at", Text, nullable=False),
        Column("removed_at", Text, nullable=False),
    )
    op.create_table(
        "lti_deployments",
        Column("platform", Integer, ForeignKey("lti_platforms.id"), primary_key=True),
        Column("deployment", Text, primary_key=True),
    )
    op.create_table(
        "lti_tickets",
        Column("token", String(64), primary_key=True),
        Column("kind", String(16), nullable=False),
        Column("data", Text, nullable=False),
        Column("expires_at", Text, nullable=False),
    )
    op.create_table(
        "lti_people",
        Column("id", Integer, primary_key=True),
        Column("platform", Integer, ForeignKey("lti_platforms.id"), nullable=False),
        Column("deployment", Text, nullable=False),
        Column("subject", Text, nullable=False),
        Column("account", Integer, ForeignKey("web_accounts.id"), nullable=False),
        Column("own_account", Integer, ForeignKey("web_accounts.id"), nullable=False, unique=True),
        Column("state", String(16), nullable=False),
        Column("proposed_account", Integer, ForeignKey("web_accounts.id")),
        Column("is_test_user", Boolean, nullable=False),
        Column("made_at", Text, nullable=False),
        UniqueConstraint("platform", "deployment", "subject", name="one_lti_person"),
    )
    _add_courses()


def _add_courses() -> None:
    op.create_table(
        "lti_contexts",
        Column("id", Integer, primary_key=True),
        Column("platform", Integer, ForeignKey("lti_platforms.id"), nullable=False),
        Column("deployment", Text, nullable=False),
        Column("context", Text, nullable=False),
        Column("title", Text, nullable=False),
        Column("course", Text, nullable=False),
        Column("is_connected", Boolean, nullable=False),
        Column("members_url", Text, nullable=False),
        Column("line_items_url", Text, nullable=False),
        Column("scopes", Text, nullable=False),
        Column("members_read_at", Text, nullable=False),
        Column("made_at", Text, nullable=False),
        UniqueConstraint("platform", "deployment", "context", name="one_lti_context"),
    )
    op.create_table(
        "lti_memberships",
        Column("context", Integer, ForeignKey("lti_contexts.id"), primary_key=True),
        Column("person", Integer, ForeignKey("lti_people.id"), primary_key=True),
        Column("role", String(24), nullable=False),
        Column("left_at", Text, nullable=False),
    )
    op.create_table(
        "lti_line_items",
        Column("id", Integer, primary_key=True),
        Column("context", Integer, ForeignKey("lti_contexts.id"), nullable=False),
        Column("resource_link", Text, nullable=False),
        Column("assignment", Text, nullable=False),
        Column("line_item_url", Text, nullable=False),
        Column("line_items_url", Text, nullable=False),
        Column("scopes", Text, nullable=False),
        Column("changed_at", Text, nullable=False),
        UniqueConstraint("context", "resource_link", name="one_lti_link"),
    )
