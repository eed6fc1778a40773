"""Follow the pages of a list that an LMS gives in parts: the ``Link`` header names the next page (RFC 8288)."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from urllib.parse import urljoin

from autograder.faults import ServiceFault
from autograder.lti.address_guard import get_origin, redact_url_query
from autograder.lti.http_client import HttpResponse

MOST_PAGES, MOST_LIST_BYTES, MOST_SECONDS = 1000, 100 * 2**20, 600.0
"""Bounds of a whole list; those of one page are the HTTP client's."""
NEXT_LINK = re.compile(r"<([^<>]*)>[^,<]*;\s*rel=\"?next\"?", re.IGNORECASE)


def iterate_pages(
    first_url: str, what_is_listed: str, fetch_page: Callable[[str], HttpResponse]
) -> Iterator[HttpResponse]:
    """Yield the response with each page of a list; end at a page that was read before.

    Args:
        first_url: the URL of the first page.
        what_is_listed: what the list holds, for messages.
        fetch_page: requests a page. What it raises ends the list.

    Raises:
        ServiceFault: the next page is on another server, where the access token must not be sent, or the list has
            more pages or bytes than are read, or takes too long; what was read is not the whole list.
    """
    url, seen_urls, byte_count, end = first_url, set[str](), 0, time.monotonic() + MOST_SECONDS
    location = redact_url_query(first_url)
    while url and url not in seen_urls:
        if get_origin(url) != get_origin(first_url):
            raise ServiceFault(f"the next page of {what_is_listed} is on another server", location)
        if len(seen_urls) >= MOST_PAGES or byte_count > MOST_LIST_BYTES or time.monotonic() > end:
            raise ServiceFault(
                f"the platform's list of {what_is_listed} does not end", location, "ask its administrator"
            )
        seen_urls.add(url)
        response = fetch_page(url)
        byte_count += len(response.body)
        yield response
        url = get_next_page_url(response, url)


def get_next_page_url(response: HttpResponse, page_url: str) -> str:
    """Return the URL of the page after the one that a response holds; empty after the last page.

    Args:
        response: the response with the page.
        page_url: the URL of the page, to which a relative link refers.

    >>> response = HttpResponse(200, {"link": '</members?page=2>; rel="next"'}, b"")
    >>> get_next_page_url(response, "https://lms.example/members")
    'https://lms.example/members?page=2'
    """
    match = NEXT_LINK.search(response.headers.get("link", ""))
    return urljoin(page_url, match[1]) if match else ""
