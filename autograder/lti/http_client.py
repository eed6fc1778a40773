"""Send requests to platforms within bounds: time, size, redirects, and the networks that they may lead to.

``requests`` enforces none of these bounds by itself. It also reads ``.netrc``, and would replace a token with the
credentials there, so this is turned off for each request.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

import msgspec
import requests
from requests.utils import get_environ_proxies

from autograder import __version__
from autograder.faults import KitFault
from autograder.lti.address_guard import get_origin_or_empty, require_permitted_url
from autograder.lti.public_address_connections import PublicAddressAdapter
from autograder.safe_text import escape_for_display

CONNECT_SECONDS, READ_SECONDS, TOTAL_SECONDS = 5.0, 10.0, 30.0
MOST_BYTES = 2 * 2**20
MOST_REDIRECTS = 3
REDIRECTS = (301, 302, 303, 307, 308)


class UnansweredRequest(KitFault):
    """A request without an answer.

    Attributes:
        may_have_arrived: whether the platform may have acted on it nevertheless.
    """

    def __init__(self, what: str, where: str, *, may_have_arrived: bool) -> None:
        super().__init__(what, where, "try again; see whether the platform can be reached from this machine")
        self.may_have_arrived = may_have_arrived


@dataclass(frozen=True, slots=True)
class HttpReply:
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
        try:
            return msgspec.json.decode(self.body)
        except msgspec.DecodeError as error:
            raise ValueError(str(error)) from None


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
    ) -> HttpReply:
        """Send one request, and follow redirects of a GET within its origin.

        Raises:
            RefusedAddress: nothing may be sent there.
            UnansweredRequest: no answer came, or none within the bounds.
        """
        for _ in range(MOST_REDIRECTS + 1):
            reply = self._send_once(method, url, allow_private, headers or {}, content)
            target = urljoin(url, reply.headers.get("location", ""))
            if (
                method != "GET"
                or reply.status not in REDIRECTS
                or get_origin_or_empty(target) != get_origin_or_empty(url)
            ):
                return reply
            url = target
        raise UnansweredRequest("redirects without end", _show(url), may_have_arrived=True)

    def _send_once(
        self, method: str, url: str, allow_private: bool, headers: Mapping[str, str], content: bytes | None
    ) -> HttpReply:
        require_permitted_url(url, allow_private=allow_private, look_up_host=False)
        proxies = get_environ_proxies(url)
        require_permitted_url(url, allow_private=allow_private, look_up_host=not proxies)
        sent = {"User-Agent": f"autograder/{__version__}", "Accept-Encoding": "identity", **headers}
        with requests.Session() as session:
            if not allow_private and not proxies:
                session.mount("https://", PublicAddressAdapter())
            try:
                with session.request(
                    method, url, headers=sent, data=content, stream=True, allow_redirects=False,
                    timeout=(CONNECT_SECONDS, self._read_seconds), auth=lambda request: request,
                ) as answer:  # fmt: skip
                    names = {name.lower(): value for name, value in answer.headers.items()}
                    return HttpReply(answer.status_code, names, self._read(answer, url))
            except requests.ConnectTimeout:
                raise UnansweredRequest("cannot be reached in time", _show(url), may_have_arrived=False) from None
            except requests.Timeout:
                raise UnansweredRequest("does not answer in time", _show(url), may_have_arrived=True) from None
            except requests.RequestException as error:  # not its text, which may contain the request
                was_sent = not any(word in repr(error) for word in ("NewConnectionError", "SSLError", "ProxyError"))
                reason = f"gives no answer: {type(error).__name__}"
                raise UnansweredRequest(reason, _show(url), may_have_arrived=was_sent) from None

    def _read(self, answer: requests.Response, url: str) -> bytes:
        end, body = time.monotonic() + self._total_seconds, bytearray()
        for chunk in answer.raw.stream(65536, decode_content=False):
            body += chunk
            if len(body) > MOST_BYTES:
                raise UnansweredRequest(
                    f"answers with more than {MOST_BYTES} bytes", _show(url), may_have_arrived=True
                )
            if time.monotonic() > end:
                raise UnansweredRequest("does not answer in time", _show(url), may_have_arrived=True)
        return bytes(body)


def _show(url: str) -> str:
    """Return a URL for messages, without its query: platforms put tokens there."""
    return escape_for_display(url.partition("?")[0], 200)
