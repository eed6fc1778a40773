"""Call a platform's services with an access token."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from urllib.parse import urlsplit, urlunsplit

from autograder.lti.access_tokens import AccessTokenProvider
from autograder.lti.http_client import HttpClient, HttpResponse
from autograder.lti.next_page_link import iterate_pages
from autograder.store.lti.lti_platform_table import LtiPlatform

LINE_ITEM = "https://purl.imsglobal.org/spec/lti-ags/scope/lineitem"
LINE_ITEM_READ_ONLY = "https://purl.imsglobal.org/spec/lti-ags/scope/lineitem.readonly"
RESULT_READ_ONLY = "https://purl.imsglobal.org/spec/lti-ags/scope/result.readonly"
SCORE = "https://purl.imsglobal.org/spec/lti-ags/scope/score"
MEMBERS_READ_ONLY = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"
ALL_SCOPES = (LINE_ITEM, LINE_ITEM_READ_ONLY, RESULT_READ_ONLY, SCORE, MEMBERS_READ_ONLY)


class PlatformClient:
    """Calls the services of one platform with access tokens."""

    def __init__(self, platform: LtiPlatform, tokens: AccessTokenProvider, http: HttpClient) -> None:
        self.platform = platform
        self._tokens, self._http = tokens, http

    def send_authorized_request(
        self,
        method: str,
        url: str,
        scopes: Collection[str],
        *,
        accept: str = "application/json",
        content: bytes | None = None,
        content_type: str = "",
    ) -> HttpResponse:
        """Send a request; where its token is refused, send it once more with a new one.

        A refused request was not carried out, so it is safe to send it again. Open edX says 403 for a bad token.

        Raises:
            AccessTokenNotGranted: the platform gives no token.
            UnansweredRequest: it does not answer.
            RefusedAddress: nothing may be sent there.
        """
        response = self._send_once(method, url, scopes, accept, content, content_type)
        if response.status == 401 or (response.status == 403 and b"token" in response.body.lower()):
            self._tokens.forget_cached_token(self.platform, scopes)
            response = self._send_once(method, url, scopes, accept, content, content_type)
        return response

    def fetch_pages(
        self, list_url: str, scopes: Collection[str], accept: str, what_is_listed: str
    ) -> Iterator[HttpResponse]:
        """Yield the response with each page of a list. See ``iterate_pages``."""
        return iterate_pages(
            list_url,
            what_is_listed,
            lambda url: self.send_authorized_request("GET", url, scopes, accept=accept),
        )

    def _send_once(
        self, method: str, url: str, scopes: Collection[str], accept: str, content: bytes | None, content_type: str
    ) -> HttpResponse:
        headers = {
            "Authorization": f"Bearer {self._tokens.get_token(self.platform, scopes)}",
            "Accept": accept,
        }
        if content is not None:
            headers["Content-Type"] = content_type
        return self._http.send(
            method, url, headers=headers, content=content, allow_private=self.platform.allow_private
        )


def append_path_segment_to_url(url: str, path_segment: str) -> str:
    """Return the URL of what belongs to a line item; its query stays at the end.

    >>> append_path_segment_to_url("https://lms.example/items/2/lineitem?type_id=1", "scores")
    'https://lms.example/items/2/lineitem/scores?type_id=1'
    """
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/{path_segment}", fragment=""))
