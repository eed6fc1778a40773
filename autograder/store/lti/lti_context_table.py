"""Store the courses of platforms, each with the course here that it is connected to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import insert, select, update

from autograder.store.column_encoding import utc_now
from autograder.store.lti.lti_table_definitions import contexts, read_row
from autograder.store.session import StorePart

NO_COURSE_NAMED = "(no course named)"
"""The label of what launches without a context claim come from."""


@dataclass(frozen=True, slots=True)
class LtiContext:
    """A course of a platform."""

    id: int
    platform: int
    deployment: str
    context: str
    """What the platform calls it; empty for launches that name no course."""
    title: str
    course: str
    """The course here that it asked for."""
    is_connected: bool
    """Whether an administrator connected it; until then, its launches are refused."""
    members_url: str = ""
    """Where its members are read (names and roles); empty where the platform does not say."""
    line_items_url: str = ""
    scopes: tuple[str, ...] = ()
    members_read_at: datetime | None = None

    @property
    def label(self) -> str:
        """Return its title for people, or else its id, or else that it has neither."""
        return self.title or self.context or NO_COURSE_NAMED


class LtiContextTable(StorePart):
    """The courses of platforms in a store."""

    def add_or_update_context(
        self, platform_id: int, deployment: str, context_on_platform: str, course_if_new: str, **values: Any
    ) -> LtiContext:
        """Add a course of a platform, not connected yet, or change what is known of it; return it.

        Args:
            platform_id: the platform's number.
            deployment: the deployment.
            context_on_platform: what the platform calls the course.
            course_if_new: the course here, for a new one.
            values: ``title``, ``members_url``, ``line_items_url`` and ``scopes``, as far as they are known.
        """
        with self._session.transaction():
            old_context = self.find(platform_id, deployment, context_on_platform)
            if old_context is None:
                row = {"platform": platform_id, "deployment": deployment, "context": context_on_platform, **values}
                self._session.execute(insert(contexts).values(**row, course=course_if_new, is_connected=False))
            elif values:
                self._update_context(old_context.id, **values)
        context = self.find(platform_id, deployment, context_on_platform)
        assert context is not None
        return context

    def set_connected(self, context_id: int, *, is_connected: bool) -> None:
        """Accept or refuse launches from a course of a platform."""
        self._update_context(context_id, is_connected=is_connected)

    def mark_members_fetched(self, context_id: int) -> None:
        """Remember that the members of a course were read just now."""
        self._update_context(context_id, members_read_at=utc_now())

    def find(self, platform_id: int, deployment: str, context_on_platform: str) -> LtiContext | None:
        """Return a course of a platform; None if it was never seen."""
        conditions = (contexts.c.deployment == deployment, contexts.c.context == context_on_platform)
        row = self._session.fetch_one(select(contexts).where(contexts.c.platform == platform_id, *conditions))
        return read_row(LtiContext, row) if row else None

    def find_by_id(self, context_id: int) -> LtiContext | None:
        """Return the course of a number; None if there is none."""
        row = self._session.fetch_one(select(contexts).where(contexts.c.id == context_id))
        return read_row(LtiContext, row) if row else None

    def list_contexts_of_course(self, course: str) -> list[LtiContext]:
        """Return the courses of platforms that asked for a course here, in the order in which they did."""
        query = select(contexts).where(contexts.c.course == course).order_by(contexts.c.id)
        return [read_row(LtiContext, row) for row in self._session.fetch_all(query)]

    def _update_context(self, context_id: int, **values: Any) -> None:
        self._session.execute_and_commit(update(contexts).where(contexts.c.id == context_id).values(**values))
