"""Send requests to platforms within bounds: time, size, redirects, and the networks that they may lead to.

``requests`` enforces none of these bounds by itself. It also reads ``.netrc``, and would replace a token with the
credentials there, so this is turned off for each request.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

import requests
from requests.utils import get_environ_proxies
from urllib3.exceptions import HTTPError, TimeoutError

from autograder import __version__
from autograder.faults import ServiceFault
from autograder.lti.address_guard import get_origin, redact_url_query, require_permitted_url
from autograder.lti.guarded_connections import ConnectionCheckingAdapter, ConnectionDeadline, require_public_peer
from autograder.lti.json_response import decode_json_response

CONNECT_SECONDS, READ_SECONDS, TOTAL_SECONDS = 5.0, 10.0, 30.0
MOST_BYTES = 2 * 2**20
MOST_REDIRECTS = 3
REDIRECTS = (301, 302, 303, 307, 308)


class UnansweredRequest(ServiceFault):
    """A request without an answer.

    Attributes:
        may_have_arrived: whether the platform may have acted on it nevertheless.
    """

    def __init__(self, what: str, where: str, *, may_have_arrived: bool) -> None:
        super().__init__(what, where, "try again; check that this machine can reach the platform")
        self.may_have_arrived = may_have_arrived


def is_retryable_status(status: int) -> bool:
    """Return whether an HTTP status means that the same request may succeed later (429 or 5xx)."""
    return status == 429 or status >= 500


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """The response to a request, with any status."""

    status: int
    headers: Mapping[str, str]
    """Their names in lower case."""
    body: bytes

    @property
    def is_ok(self) -> bool:
        """Return whether the status means success (2xx)."""
        return 200 <= self.status < 300

    def decode_json(self) -> Any:
        """Return the body as JSON.

        Raises:
            ValueError: it is not JSON.
        """
        return decode_json_response(self.body, Any)


class HttpClient:
    """Sends requests; safe to share between threads, since each request has a connection of its own."""

    def __init__(self, *, total_seconds: float = TOTAL_SECONDS, read_seconds: float = READ_SECONDS) -> None:
        self._total_seconds, self._read_seconds = total_seconds, read_seconds

    def send(
        self,
        method: str,
        url: str,
        *,
        allow_private: bool,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
    ) -> HttpResponse:
        """Send one request, and follow redirects of a GET within its origin.

        Raises:
            RefusedAddress: nothing may be sent there.
            UnansweredRequest: no answer came, or none within the bounds.
        """
        with ConnectionDeadline(self._total_seconds) as deadline:
            for _ in range(MOST_REDIRECTS + 1):
                response = self._send_once(method, url, headers or {}, content, allow_private, deadline)
                target = urljoin(url, response.headers.get("location", ""))
                if method != "GET" or response.status not in REDIRECTS or get_origin(target) != get_origin(url):
                    return response
                url = target
        raise UnansweredRequest("the server redirects without end", redact_url_query(url), may_have_arrived=True)

    def _send_once(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        content: bytes | None,
        allow_private: bool,
        deadline: ConnectionDeadline,
    ) -> HttpResponse:
        require_permitted_url(url, allow_private=allow_private, look_up_host=False)
        proxies = get_environ_proxies(url)
        require_permitted_url(url, allow_private=allow_private, look_up_host=not proxies)

        def on_connected(connection: socket.socket, host: str) -> None:
            deadline.watch_connection(connection)
            if not allow_private and not proxies:
                require_public_peer(connection, host)

        all_headers = {"User-Agent": f"autograder/{__version__}", "Accept-Encoding": "identity", **headers}
        with requests.Session() as session:
            for scheme in ("http://", "https://"):
                session.mount(scheme, ConnectionCheckingAdapter(on_connected))
            try:
                with session.request(
                    method, url, headers=all_headers, data=content, stream=True, allow_redirects=False,
                    timeout=(CONNECT_SECONDS, self._read_seconds), auth=lambda request: request,
                ) as response:  # fmt: skip
                    response_headers = {name.lower(): value for name, value in response.headers.items()}
                    body = _read_bounded(response, url)
                    if deadline.has_passed:
                        raise requests.Timeout
                    return HttpResponse(response.status_code, response_headers, body)
            except requests.ConnectTimeout:
                raise UnansweredRequest(
                    "cannot reach the server in time", redact_url_query(url), may_have_arrived=False
                ) from None
            except (requests.Timeout, TimeoutError):
                raise UnansweredRequest(
                    "the server does not answer in time", redact_url_query(url), may_have_arrived=True
                ) from None
            except (requests.RequestException, HTTPError) as error:  # not its text, which may contain the request
                was_sent = not any(word in repr(error) for word in ("NewConnectionError", "SSLError", "ProxyError"))
                reason = f"the server gives no answer: {type(error).__name__}"
                if deadline.has_passed:
                    reason = "the server does not answer in time"
                raise UnansweredRequest(reason, redact_url_query(url), may_have_arrived=was_sent) from None


def _read_bounded(response: requests.Response, url: str) -> bytes:
    body = bytearray()
    for chunk in response.raw.stream(65536, decode_content=False):
        body += chunk
        if len(body) > MOST_BYTES:
            raise UnansweredRequest(
                f"the answer is longer than {MOST_BYTES} bytes", redact_url_query(url), may_have_arrived=True
            )
    return bytes(body)
