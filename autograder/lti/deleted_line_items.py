"""Notice that a line item was deleted on its platform, and stop sending marks there.

Its URL is removed from the link, so that a column is searched for as for a link whose launch named none.
"""

from __future__ import annotations

from autograder.faults import ServiceFault
from autograder.lti.line_item_results import RESULTS_TYPE
from autograder.lti.line_items import DELETED_STATUSES, ITEM_TYPE
from autograder.lti.link_place import format_link_place
from autograder.lti.platform_client import (
    LINE_ITEM,
    LINE_ITEM_READ_ONLY,
    RESULT_READ_ONLY,
    SCORE,
    PlatformClient,
    append_path_segment_to_url,
)
from autograder.store.lti.lti_audit_events import LtiActor, record_lti_change
from autograder.store.lti.lti_resource_link_table import LtiResourceLink
from autograder.store.store import Store

COLUMN_DELETED = "the column for marks was deleted in the LMS"


def is_line_item_deleted(client: PlatformClient, link: LtiResourceLink) -> bool:
    """Return whether the platform says that a link's line item no longer exists.

    A 404 for the mark of one person may be about that person. So the line item is requested, or else everybody's
    results; if the platform lets the tool read neither, the 404 is taken to be about the line item.
    """
    url, accept = link.line_item_url, ITEM_TYPE
    scope = next((scope for scope in (LINE_ITEM_READ_ONLY, LINE_ITEM, RESULT_READ_ONLY) if scope in link.scopes), "")
    if not scope:
        return True
    if scope == RESULT_READ_ONLY:
        url, accept = append_path_segment_to_url(url, "results"), RESULTS_TYPE
    try:
        return client.send_authorized_request("GET", url, [scope], accept=accept).status in DELETED_STATUSES
    except ServiceFault:
        return False


def remove_deleted_line_item(store: Store, course: str, link: LtiResourceLink, worker: str) -> None:
    """Remove the URL of a deleted line item from its link, and let no mark wait for it.

    Args:
        store: keeps the link and its marks.
        course: the course here.
        link: the link.
        worker: who noticed it, for the audit log.
    """
    place, url = format_link_place(store, link), link.line_item_url.partition("?")[0]
    with store.group():
        store.lti_links.remove_line_item_url(link)
        for mark in store.mark_outbox.list_marks(course, link.assignment):
            if mark.line_item == link.id and mark.state in ("queued", "rejected"):
                store.mark_outbox.set_state_unless_sending(mark, "skipped", COLUMN_DELETED)
        record_lti_change(
            store.audit, course, LtiActor(worker), "column", url, "deleted in the LMS",
            place=place, assignment=link.assignment, state="taken",
        )  # fmt: skip


def describe_line_item_problem(store: Store, course: str, link: LtiResourceLink) -> str:
    """Return why no mark can go to a link's line item, or what is missing there; empty if nothing is."""
    if not link.line_item_url:
        marks = store.mark_outbox.list_marks(course, link.assignment)
        if any(mark.line_item == link.id for mark in marks):
            return f"{COLUMN_DELETED}; make it anew and open the assignment from there once, or forget this link"
        return "the platform gave no column for marks; a teacher there turns grades on for this activity"
    if SCORE not in link.scopes:
        return "the platform lets the tool send no marks; allow it in the tool's settings there"
    return "" if RESULT_READ_ONLY in link.scopes else "marks are sent, but the marks on the platform cannot be read"
