"""Read deadlines from the columns of LMSs' gradebooks, and say whose deadline counts."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from autograder.course import Assignment
from autograder.faults import KitFault
from autograder.lti.launch_deadlines import parse_platform_deadline_or_none
from autograder.lti.line_items import fetch_line_item
from autograder.lti.lti_keys_and_clients import LtiKeysAndClients
from autograder.store.lti_context_and_link_tables import LtiResourceLink
from autograder.store.store import Store

READ_SECONDS = 300.0
"""Between two looks at a column whose deadline counts."""


@dataclass
class LmsDeadlineRefresher:
    """Reads the deadlines of columns where those of the LMS count, each column at most every five minutes.

    ``LmsSyncWorker`` calls it.

    Attributes:
        keys_and_clients: this server as a tool.
        name: tells who found a fault.
    """

    keys_and_clients: LtiKeysAndClients
    name: str
    _next_read: dict[int, float] = field(default_factory=dict)

    def refresh_outdated_lms_deadlines(self, store: Store, course: str, assignments: Iterable[Assignment]) -> None:
        """Read what was not read lately; what a platform refuses goes to the page on health."""
        counting = {
            one.name
            for one in assignments
            if store.lti_deadlines.get_authoritative_deadline_source(course, one.name) == "LMS"
        }
        for link in store.lti_contexts.list_resource_links_of_connected_contexts(course):
            if link.assignment not in counting or time.monotonic() < self._next_read.get(link.id, 0.0):
                continue
            self._next_read[link.id] = time.monotonic() + READ_SECONDS
            try:
                fetch_and_save_deadline_of_line_item(store, link, self.keys_and_clients)
            except KitFault as fault:
                store.workers_and_faults.record_fault(course, self.name, str(fault))


def fetch_and_save_deadline_of_line_item(
    store: Store, link: LtiResourceLink, keys_and_clients: LtiKeysAndClients
) -> None:
    """Keep the deadline that a column of a gradebook says, if there is a column.

    A column that says none takes back only what a column said before: Open edX says none where a launch may.

    Raises:
        KitFault: the platform does not answer, or lets nobody look.
    """
    context = store.lti_contexts.find_by_id(link.context)
    platform = store.lti_platforms.find_active_by_id(context.platform) if context else None
    if platform is None or context is None or not link.line_item_url:
        return
    moment = parse_platform_deadline_or_none(
        fetch_line_item(keys_and_clients.make_platform_service(platform), link).end_date_time
    )
    said = store.lti_deadlines.list_general_and_personal_platform_deadlines(context.course, link.assignment)
    by_column = any((one.resource_link_id, one.login, one.said_by) == (link.id, "", "line item") for one in said)
    if moment is not None or by_column:
        store.lti_deadlines.record_platform_deadline_unless_outranked(link, moment, "line item")
