"""Find, make and check the columns of platforms' gradebooks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TypeVar

import msgspec

from autograder.faults import Fault, ServiceFault
from autograder.text import format_count
from autograder.web.lti.administration import format_link_place
from autograder.web.lti.http import HttpResponse, decode_json_response, get_origin, redact_url_query
from autograder.web.lti.launch_acceptance import fetch_members
from autograder.web.lti.results import (
    RESULTS_TYPE,
    add_query_fields_to_url,
    convert_response_to_platform_answer,
    format_iso_utc,
)
from autograder.web.lti.tool import (
    LINE_ITEM,
    LINE_ITEM_READ_ONLY,
    MEMBERS_READ_ONLY,
    RESULT_READ_ONLY,
    SCORE,
    LtiTool,
    PlatformClient,
    append_path_segment_to_url,
)
from autograder.web.store.lti.audit import LtiActor, record_lti_change
from autograder.web.store.lti.platforms import LtiContext, LtiPlatform, LtiResourceLink
from autograder.web.store.server_store import ServerStore

Decoded = TypeVar("Decoded")
ITEM_TYPE = "application/vnd.ims.lis.v2.lineitem+json"
ITEMS_TYPE = "application/vnd.ims.lis.v2.lineitemcontainer+json"
DELETED_STATUSES = (404, 410)
"""What platforms answer about a line item that was deleted."""


class DeletedLineItem(ServiceFault):
    """Raised if a platform says that a line item no longer exists."""


class LineItem(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A column of a gradebook."""

    score_maximum: float
    label: str
    resource_id: str | None = None
    resource_link_id: str | None = None
    id: str = ""
    """Its URL; empty for one that is not made yet."""
    end_date_time: str | None = None
    """When it is due."""


def find_or_make_line_item_url(
    client: PlatformClient,
    link: LtiResourceLink,
    max_points_if_made: float,
    label_if_made: str,
    deadline_if_made: datetime | None = None,
) -> str:
    """Return the URL of a link's column; make a column only if a search finds none.

    The search prevents a second column after a creation whose answer was lost.

    Args:
        client: the platform's.
        link: the link, without a column yet.
        max_points_if_made: full marks, for a new column.
        label_if_made: the title of a new column.
        deadline_if_made: when it is due, for a new column.

    Raises:
        ServiceFault: the platform does not answer, or lets nobody look or make one.
    """
    location = redact_url_query(link.line_items_url)
    scopes = _choose_scope(link, (LINE_ITEM, LINE_ITEM_READ_ONLY), location)
    line_item = _find_line_item(client, link, scopes)
    if line_item is None:
        if LINE_ITEM not in link.scopes:
            raise ServiceFault(
                "the platform has no column for marks of this link", location, "turn grades on for it there"
            )
        due_time = format_iso_utc(deadline_if_made) if deadline_if_made else None
        new_item = LineItem(
            max_points_if_made, label_if_made, link.assignment, link.resource_link, end_date_time=due_time
        )
        content = msgspec.json.encode(new_item)
        response = client.send_authorized_request(
            "POST", link.line_items_url, scopes, accept=ITEM_TYPE, content=content, content_type=ITEM_TYPE
        )
        if not response.is_ok:
            raise ServiceFault(f"cannot make a column for marks: {_get_reason(response)}", location)
        line_item = _decode_response(response.body, LineItem, location)
    if get_origin(line_item.id) != get_origin(link.line_items_url):  # the token stays on its server
        raise ServiceFault("the column for marks is on another server", location)
    return line_item.id


def _find_line_item(client: PlatformClient, link: LtiResourceLink, scopes: list[str]) -> LineItem | None:
    """Return the column of a link, or else a column of its assignment that belongs to no link.

    There is one of those where the platform keeps the column of a link that was made anew.
    """
    for item in _iterate_line_items(client, link, scopes, resource_link_id=link.resource_link):
        if item.id and item.resource_link_id == link.resource_link:
            return item
    for item in _iterate_line_items(client, link, scopes, resource_id=link.assignment):
        if item.id and not item.resource_link_id and item.resource_id == link.assignment:
            return item
    return None


def _iterate_line_items(
    client: PlatformClient, link: LtiResourceLink, scopes: list[str], **wanted: str
) -> Iterator[LineItem]:
    """Yield the columns of all pages of a list; a platform may ignore which columns are asked for."""
    url, location = add_query_fields_to_url(link.line_items_url, **wanted), redact_url_query(link.line_items_url)
    for response in client.fetch_pages(url, scopes, ITEMS_TYPE, "columns for marks"):
        if not response.is_ok:
            raise ServiceFault(f"cannot list the columns for marks: {_get_reason(response)}", location)
        yield from _decode_response(response.body, list[LineItem], location)


def fetch_line_item(client: PlatformClient, link: LtiResourceLink) -> LineItem:
    """Return the column of a link.

    Raises:
        DeletedLineItem: the column no longer exists.
        ServiceFault: the platform does not answer, or lets nobody look.
    """
    location = redact_url_query(link.line_item_url)
    scopes = _choose_scope(link, (LINE_ITEM_READ_ONLY, LINE_ITEM), location)
    response = client.send_authorized_request("GET", link.line_item_url, scopes, accept=ITEM_TYPE)
    if response.status in DELETED_STATUSES:
        raise DeletedLineItem("the platform has no such column for marks any more", location)
    if not response.is_ok:
        raise ServiceFault(f"cannot read the column for marks: {_get_reason(response)}", location)
    return _decode_response(response.body, LineItem, location)


def _choose_scope(link: LtiResourceLink, wanted_scopes: Sequence[str], location: str) -> list[str]:
    """Return the first of some scopes that the platform granted.

    Raises:
        ServiceFault: it granted none of them.
    """
    scopes = [scope for scope in wanted_scopes if scope in link.scopes][:1]
    if not scopes:
        raise ServiceFault(
            "the platform lets the tool see no columns for marks", location, "allow it in the tool's settings there"
        )
    return scopes


def _get_reason(response: HttpResponse) -> str:
    """Return why the platform refused, in its own words; else the status."""
    return convert_response_to_platform_answer(response).body or str(response.status)


def _decode_response(body: bytes, target_type: type[Decoded], location: str) -> Decoded:
    try:
        return decode_json_response(body, target_type)
    except ValueError:
        raise ServiceFault("the answer holds no readable column for marks", location) from None


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


def remove_deleted_line_item(store: ServerStore, course: str, link: LtiResourceLink, worker: str) -> None:
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


def describe_line_item_problem(store: ServerStore, course: str, link: LtiResourceLink) -> str:
    """Return why no mark can go to a link's line item, or what is missing there; empty if nothing is."""
    if not link.line_item_url:
        marks = store.mark_outbox.list_marks(course, link.assignment)
        if any(mark.line_item == link.id for mark in marks):
            return f"{COLUMN_DELETED}; make it anew and open the assignment from there once, or forget this link"
        return "the platform gave no column for marks; a teacher there turns grades on for this activity"
    if SCORE not in link.scopes:
        return "the platform lets the tool send no marks; allow it in the tool's settings there"
    return "" if RESULT_READ_ONLY in link.scopes else "marks are sent, but the marks on the platform cannot be read"


@dataclass(frozen=True, slots=True)
class ConnectionCheckStepResult:
    """The result of one step of a connection check."""

    name: str
    works: bool
    text: str


def iterate_connection_checks(
    store: ServerStore, course: str, tool: LtiTool, platform: LtiPlatform
) -> Iterator[ConnectionCheckStepResult]:
    """Check the platform's keys, an access token, and each link's line item and results; yield each step's result."""
    yield _try_step("keys of the platform", lambda: f"{len(tool.platform_keys.fetch_fresh_keys(platform))} found")
    contexts = [context for context in store.lti_contexts.list_all(course=course) if context.platform == platform.id]
    scopes = sorted({scope for context in contexts for scope in context.scopes})
    if not scopes:  # a platform that offers members alone refuses a token for anything else
        scopes = [MEMBERS_READ_ONLY if any(context.members_url for context in contexts) else LINE_ITEM_READ_ONLY]
    yield _try_step("access token", lambda: _get_token(tool, platform, scopes))
    for context in contexts:
        if context.members_url:
            yield _try_step(f"members of {context.label}", partial(_read_members, tool, platform, context))
    context_ids = {context.id for context in contexts}
    links = [
        link
        for link in store.lti_links.list_in_connected_courses(course)
        if link.context in context_ids and link.line_item_url
    ]
    for link in links:
        read_part = partial(_read_line_item, tool, platform, link)
        yield _try_step(f"line item of {link.assignment}", partial(read_part, "", ITEM_TYPE))
        yield _try_step(f"results of {link.assignment}", partial(read_part, "results", RESULTS_TYPE))
    if not links:
        yield ConnectionCheckStepResult(
            "line items", False, "no line item is known yet: open an assignment from a connected course first"
        )


def _try_step(name: str, action: Callable[[], str]) -> ConnectionCheckStepResult:
    try:
        return ConnectionCheckStepResult(name, True, action())
    except Fault as fault:
        return ConnectionCheckStepResult(name, False, str(fault))


def _get_token(tool: LtiTool, platform: LtiPlatform, scopes: list[str]) -> str:
    tool.tokens.forget_cached_token(platform, scopes)
    tool.tokens.get_token(platform, scopes)
    return f"given for {format_count(len(scopes), 'scope')}"


def _read_members(tool: LtiTool, platform: LtiPlatform, context: LtiContext) -> str:
    return f"{len(fetch_members(tool.make_platform_client(platform), context.members_url))} listed"


def _read_line_item(tool: LtiTool, platform: LtiPlatform, link: LtiResourceLink, part: str, accept: str) -> str:
    wanted_scopes = (RESULT_READ_ONLY,) if part else (LINE_ITEM, LINE_ITEM_READ_ONLY)
    scopes = [scope for scope in wanted_scopes if scope in link.scopes][:1]
    if not scopes:
        raise ServiceFault(
            "the platform does not let the tool read this", advice="allow it in the tool's settings there"
        )
    url = append_path_segment_to_url(link.line_item_url, part) if part else link.line_item_url
    response = tool.make_platform_client(platform).send_authorized_request("GET", url, scopes, accept=accept)
    if not response.is_ok:
        raise ServiceFault(
            f"the platform answers with status {response.status}", advice="check the tool's permissions there"
        )
    return "read"
