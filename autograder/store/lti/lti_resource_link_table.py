"""Store the links to assignments in courses of platforms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, insert, select, update

from autograder.store.column_encoding import utc_now
from autograder.store.lti.lti_table_definitions import contexts, line_items, read_row
from autograder.store.row_removal import delete_rows_cascading
from autograder.store.session import StorePart


@dataclass(frozen=True, slots=True)
class LtiResourceLink:
    """A link to an assignment in a course of a platform."""

    id: int
    context: int
    """The number of its ``LtiContext``."""
    resource_link: str
    assignment: str
    line_item_url: str = ""
    """The column of the gradebook; empty where the platform gave none."""
    line_items_url: str = ""
    scopes: tuple[str, ...] = ()
    """The scopes that the last launch granted the tool."""


class LtiResourceLinkTable(StorePart):
    """The links to assignments in a store."""

    def add_or_update(self, context_id: int, resource_link: str, assignment: str, **values: Any) -> LtiResourceLink:
        """Add a link to an assignment, or change it; return it.

        Args:
            context_id: the number of its course.
            resource_link: what the platform calls the link.
            assignment: the assignment.
            values: ``line_item_url``, ``line_items_url`` and ``scopes``; empty where nothing is said.
        """
        columns = {"assignment": assignment, "changed_at": utc_now(), **values}
        same = (line_items.c.context == context_id, line_items.c.resource_link == resource_link)
        with self._session.transaction():
            if self._session.fetch_one(select(line_items.c.id).where(*same)):
                self._session.execute(update(line_items).where(*same).values(**columns))
            else:
                made = {"context": context_id, "resource_link": resource_link}
                self._session.execute(insert(line_items).values(**made, **columns))
        return read_row(LtiResourceLink, self._session.fetch_one(select(line_items).where(*same)))

    def remove_line_item_url(self, link: LtiResourceLink) -> None:
        """Remove the URL of a link's line item, unless it has another one by now."""
        is_same = and_(line_items.c.id == link.id, line_items.c.line_item_url == link.line_item_url)
        values = {"line_item_url": "", "changed_at": utc_now()}
        self._session.execute_and_commit(update(line_items).where(is_same).values(**values))

    def delete_link(self, link_id: int) -> None:
        """Delete a link with its deadlines, its marks, and what was asked about them; a launch adds it again."""
        with self._session.transaction():
            delete_rows_cascading(self._session, line_items, line_items.c.id == link_id)

    def list_in_connected_courses(self, course: str, assignment: str = "") -> list[LtiResourceLink]:
        """Return the links to the assignments of a course, or to one of them, from courses that are connected."""
        query = select(line_items).join(contexts, contexts.c.id == line_items.c.context)
        query = query.where(contexts.c.course == course, contexts.c.is_connected)
        query = query.where(line_items.c.assignment == assignment) if assignment else query
        return [read_row(LtiResourceLink, row) for row in self._session.fetch_all(query.order_by(line_items.c.id))]
