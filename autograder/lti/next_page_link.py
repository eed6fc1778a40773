"""Follow the pages of a list that an LMS gives in parts: the ``Link`` header names the next page (RFC 8288)."""

from __future__ import annotations

import re
from urllib.parse import urljoin

from autograder.lti.address_guard import get_origin_or_empty
from autograder.lti.http_client import HttpResponse

MOST_PAGES = 1000
NEXT_LINK = re.compile(r"<([^<>]*)>[^,<]*;\s*rel=\"?next\"?", re.IGNORECASE)


class NextPageOnAnotherServer(Exception):
    """A page names a next one on another server, where the access token must not be sent."""


def get_next_page_url_or_empty(reply: HttpResponse, page_url: str) -> str:
    """Return the URL of the page after the one that a reply holds; empty after the last page.

    Args:
        reply: the reply with the page.
        page_url: the URL of the page, to which a relative link refers.

    Raises:
        NextPageOnAnotherServer: the next page has another origin.

    >>> reply = HttpResponse(200, {"link": '</members?page=2>; rel="next"'}, b"")
    >>> get_next_page_url_or_empty(reply, "https://lms.example/members")
    'https://lms.example/members?page=2'
    """
    match = NEXT_LINK.search(reply.headers.get("link", ""))
    if match is None:
        return ""
    url: str = urljoin(page_url, match[1])
    if get_origin_or_empty(url) != get_origin_or_empty(page_url):
        raise NextPageOnAnotherServer
    return url
