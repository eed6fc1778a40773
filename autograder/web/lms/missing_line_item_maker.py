"""Find or make a gradebook column in the LMS for links whose launch named none."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from autograder.course import Assignment
from autograder.faults import KitFault
from autograder.lti.line_items import find_or_make_line_item_url
from autograder.lti.link_place import find_context_and_platform
from autograder.lti.lti_tool import LtiTool
from autograder.store.lti.lti_audit_events import LtiActor, record_lti_change
from autograder.store.store import Store

SEARCH_SECONDS = 60.0
"""Least time between two searches for the column of one link."""


@dataclass
class MissingLineItemMaker:
    """Finds or makes missing gradebook columns.

    Attributes:
        tool: this server as a tool.
        name: names the source of recorded faults and audit rows.
    """

    tool: LtiTool
    name: str
    _next_search_by_link: dict[int, float] = field(default_factory=dict)

    def ensure_line_items(self, store: Store, course: str, assignments: Iterable[Assignment]) -> None:
        """Find or make the missing columns; record a platform's refusal as a fault for the health page."""
        assignment_by_name = {assignment.name: assignment for assignment in assignments}
        for link in store.lti_links.list_in_connected_courses(course):
            is_due = time.monotonic() >= self._next_search_by_link.get(link.id, 0.0)
            if (
                link.line_item_url
                or not link.line_items_url
                or link.assignment not in assignment_by_name
                or not is_due
            ):
                continue
            self._next_search_by_link[link.id] = time.monotonic() + SEARCH_SECONDS
            _, platform = find_context_and_platform(store, link)
            if platform is None:
                continue
            client, assignment = self.tool.make_platform_client(platform), assignment_by_name[link.assignment]
            try:
                url = find_or_make_line_item_url(
                    client, link, assignment.max_score, assignment.title, assignment.deadline_rules.deadline
                )
            except KitFault as fault:
                store.faults.record_fault(course, self.name, str(fault))
                continue
            with store.group():
                store.lti_links.add_or_update(link.context, link.resource_link, link.assignment, line_item_url=url)
                record_lti_change(
                    store.audit, course, LtiActor(self.name), "column", "", url.partition("?")[0],
                    place=platform.name, assignment=link.assignment, state="taken",
                )  # fmt: skip
