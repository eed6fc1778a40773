"""Find the column of a platform's gradebook for a link, or make one.

Format: https://www.imsglobal.org/spec/lti-ags/v2p0#line-item-service. If tools may make columns, a launch may name
none (Open edX). Then the tool must find or make one before it can send the first mark.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TypeVar

import msgspec

from autograder.faults import ServiceFault
from autograder.lti.address_guard import get_origin, redact_url_query
from autograder.lti.http_client import HttpResponse
from autograder.lti.json_response import decode_json_response
from autograder.lti.line_item_results import add_query_fields_to_url
from autograder.lti.platform_client import LINE_ITEM, LINE_ITEM_READ_ONLY, PlatformClient
from autograder.lti.platform_retry_policy import convert_response_to_platform_answer
from autograder.lti.score_message import format_iso_utc
from autograder.store.lti.lti_resource_link_table import LtiResourceLink

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
