"""Read deadlines from the columns of LMSs' gradebooks, and say whose deadline counts."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from autograder.course import Assignment
from autograder.faults import KitFault
from autograder.lti.deleted_line_items import remove_deleted_line_item
from autograder.lti.launch_deadlines import parse_platform_deadline_or_none
from autograder.lti.line_items import DeletedLineItem, fetch_line_item
from autograder.lti.link_place import find_context_and_platform
from autograder.lti.lti_tool import LtiTool
from autograder.store.lti.lti_resource_link_table import LtiResourceLink
from autograder.store.store import Store

READ_SECONDS = 300.0
"""Least time between two requests for a column whose deadline counts."""


@dataclass
class LmsDeadlineRefresher:
    """Reads the deadlines of columns where those of the LMS count, each column at most every five minutes.

    ``LmsSyncWorker`` calls it.

    Attributes:
        tool: this server as a tool.
        name: names the source of recorded faults.
    """

    tool: LtiTool
    name: str
    _next_read_by_link: dict[int, float] = field(default_factory=dict)

    def refresh_outdated(self, store: Store, course: str, assignments: Iterable[Assignment]) -> None:
        """Read deadlines that were not read lately; record a platform's refusal as a fault for the health page."""
        lms_assignments = {
            assignment.name
            for assignment in assignments
            if store.lti_deadlines.get_deadline_source(course, assignment.name) == "LMS"
        }
        for link in store.lti_links.list_in_connected_courses(course):
            if link.assignment not in lms_assignments or time.monotonic() < self._next_read_by_link.get(link.id, 0.0):
                continue
            self._next_read_by_link[link.id] = time.monotonic() + READ_SECONDS
            try:
                refresh_line_item_deadline(store, link, self.tool)
            except DeletedLineItem:
                remove_deleted_line_item(store, course, link, self.name)
            except KitFault as fault:
                store.faults.record_fault(course, self.name, str(fault))


def refresh_line_item_deadline(store: Store, link: LtiResourceLink, tool: LtiTool) -> None:
    """Save the deadline of a link's gradebook column, if it has a column.

    A column without a deadline removes only a deadline that a column gave before, not one from a launch: Open edX
    columns may have none although launches give one.

    Raises:
        ServiceFault: the platform does not answer, or lets nobody look.
    """
    context, platform = find_context_and_platform(store, link)
    if platform is None or context is None or not link.line_item_url:
        return
    deadline = parse_platform_deadline_or_none(
        fetch_line_item(tool.make_platform_client(platform), link).end_date_time
    )
    platform_deadlines = store.lti_deadlines.list_platform_deadlines(context.course, link.assignment)
    is_from_line_item = any(
        (platform_deadline.line_item, platform_deadline.login, platform_deadline.said_by)
        == (link.id, "", "line item")
        for platform_deadline in platform_deadlines
    )
    if deadline is not None or is_from_line_item:
        store.lti_deadlines.record_platform_deadline_unless_outranked(link, deadline, "line item")
