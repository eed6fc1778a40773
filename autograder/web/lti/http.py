"""Send requests to platforms within bounds: time, size, pages, redirects, and the networks that they may lead to."""

from __future__ import annotations

import ipaddress
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urljoin, urlsplit

import msgspec
import requests
from requests.adapters import HTTPAdapter
from requests.utils import get_environ_proxies
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import HTTPError, TimeoutError

from autograder import __version__
from autograder.faults import ServiceFault
from autograder.text import escape_for_display

MOST_URL = 2000
NAT64 = ipaddress.ip_network("64:ff9b::/96")
"""Addresses that a gateway of the network translates into IPv4 (RFC 6052)."""
GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
"""All IPv6 addresses that the Internet has given out; what ``is_global`` says of others changes with Python."""


class RefusedAddress(ServiceFault):
    """Raised for an address to which nothing is sent."""


def require_permitted_url(url: str, *, allow_private: bool, look_up_host: bool = True) -> None:
    """Check that something may be sent to a URL.

    Args:
        url: where it would go.
        allow_private: whether an administrator allowed plain HTTP and private networks for this platform.
        look_up_host: whether to look up the host's addresses; a proxy does that itself.

    Raises:
        RefusedAddress: it may not.
    """
    location = escape_for_display(url, 200)
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise RefusedAddress("the address is malformed", location) from None
    if (
        not host
        or parts.username is not None
        or len(url) > MOST_URL
        or any(character <= " " or character == "\\" for character in url)
    ):
        raise RefusedAddress("the address is malformed", location)
    if parts.scheme != "https" and not (allow_private and parts.scheme == "http"):
        raise RefusedAddress(
            "the address does not begin with https://", location, "use https, or allow private addresses for a test"
        )
    if allow_private:
        return
    for address in _find_addresses(host, port or 443, resolve=look_up_host):
        _require_public_ip_address(address, location)


def _require_public_ip_address(ip_address_text: str, place_named_in_error: str) -> None:
    """Check that an IP address is a public one.

    Raises:
        RefusedAddress: it is not.
    """
    address = ipaddress.ip_address(ip_address_text.partition("%")[0])
    if not _is_public(address):
        raise RefusedAddress(
            "the address leads to this machine or to a private network",
            place_named_in_error,
            "ask an administrator to allow it for this platform",
        )


def redact_url_query(url: str) -> str:
    """Return a URL for messages, without its query: platforms put tokens there."""
    return escape_for_display(url.partition("?")[0], 200)


def get_origin(url: str) -> str:
    """Return scheme, host and port of a URL in one spelling; empty if it has none.

    >>> get_origin("HTTPS://LMS.uni.example:443/a?b"), get_origin("//lms.uni.example")
    ('https://lms.uni.example', '')
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not host:
        return ""
    shown_host = f"[{host}]" if ":" in host else host
    default_port = {"http": 80, "https": 443}[parts.scheme]
    return f"{parts.scheme}://{shown_host}" + (f":{port}" if port and port != default_port else "")


def _is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Return whether an address, and each IPv4 address within it to which it may lead, is of the Internet."""
    if isinstance(address, ipaddress.IPv4Address):
        return address.is_global and not address.is_multicast
    if address.ipv4_mapped:
        return _is_public(address.ipv4_mapped)
    if address in NAT64:
        return _is_public(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    embedded = [address.sixtofour] if address.sixtofour else address.teredo or ()
    is_tunnel = bool(embedded)  # to Python some are private, wherever they lead
    return address in GLOBAL_UNICAST and (is_tunnel or address.is_global) and all(map(_is_public, embedded))


def _find_addresses(host: str, port: int, *, resolve: bool) -> list[str]:
    try:
        return [str(ipaddress.ip_address(host))]
    except ValueError:
        pass
    if not resolve:
        return []
    try:
        return sorted({str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)})
    except (OSError, UnicodeError):
        raise RefusedAddress(f"unknown host '{escape_for_display(host, 200)}'") from None


OnConnected = Callable[[socket.socket, str], None]
"""Called with each new connection and the name of its host, before anything is sent; nothing is sent if it raises."""


class ConnectionDeadline:
    """Shuts down all connections of a ``with`` block after a time, in whatever state they are.

    ``requests`` bounds each single read, so a server that sends a byte now and then would be read for hours.

    Attributes:
        has_passed: whether the time is over; what was read since may be incomplete.
    """

    def __init__(self, seconds: float) -> None:
        self.has_passed = False
        self._timer = threading.Timer(seconds, self._shut_down)
        self._timer.daemon = True
        self._lock = threading.Lock()
        self._connections: list[socket.socket] = []

    def __enter__(self) -> ConnectionDeadline:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        with self._lock:
            for connection in self._connections:
                connection.close()
            self._connections.clear()

    def watch_connection(self, connection: socket.socket) -> None:
        """Shut down this connection, too, when the time is over."""
        with self._lock:
            self._connections.append(connection.dup())  # TLS takes the descriptor away from the socket
        if self.has_passed:
            self._shut_down()

    def _shut_down(self) -> None:
        self.has_passed = True
        with self._lock:
            for connection in self._connections:
                with suppress(OSError):  # it ended by itself
                    connection.shutdown(socket.SHUT_RDWR)


class ConnectionCheckingAdapter(HTTPAdapter):
    """Shows each new connection to a function before it is used; one to a SOCKS proxy is not shown."""

    def __init__(self, on_connected: OnConnected) -> None:
        self._pool_classes = {
            "http": _make_pool_class(HTTPConnectionPool, HTTPConnection, on_connected),
            "https": _make_pool_class(HTTPSConnectionPool, HTTPSConnection, on_connected),
        }
        super().__init__()

    def init_poolmanager(self, *arguments: Any, **settings: Any) -> None:
        """Make the pools for connections without a proxy."""
        super().init_poolmanager(*arguments, **settings)
        self.poolmanager.pool_classes_by_scheme = self._pool_classes

    def proxy_manager_for(self, proxy: str, **settings: Any) -> Any:
        """Return the pools for connections through a proxy."""
        manager = super().proxy_manager_for(proxy, **settings)
        if not proxy.lower().startswith("socks"):
            manager.pool_classes_by_scheme = self._pool_classes
        return manager


def _make_pool_class(pool_class: Any, connection_class: Any, on_connected: OnConnected) -> Any:
    class Connection(connection_class):  # type: ignore[misc]
        def _new_conn(self) -> Any:
            connection = super()._new_conn()
            try:
                on_connected(connection, self.host)
            except BaseException:
                connection.close()
                raise
            return connection

    class Pool(pool_class):  # type: ignore[misc]
        ConnectionCls = Connection

    return Pool


Decoded = TypeVar("Decoded")
NULL_DEPTH = 4
"""How deep nulls are dropped: those of a person in a list of members are the deepest that matter."""


def decode_json_response(body: bytes, target_type: type[Decoded]) -> Decoded:
    """Return JSON as a type; a member that is null counts as absent, and numbers may be text.

    Raises:
        ValueError: it is not JSON, nested too deeply, or not of this type.

    >>> decode_json_response(b'{"client_id": "7", "scope": null}', dict[str, str])
    {'client_id': '7'}
    """
    try:
        return msgspec.convert(drop_null_members(msgspec.json.decode(body)), target_type, strict=False)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(str(error)) from None


def drop_null_members(json_value: Any, depth: int = NULL_DEPTH) -> Any:
    """Return JSON without the members of its objects that are null, as if the platform had left them out.

    Args:
        json_value: decoded JSON.
        depth: how deep to look; what lies deeper stays as it is.

    >>> drop_null_members({"name": None, "endpoint": {"lineitem": None, "scope": ["x"]}})
    {'endpoint': {'scope': ['x']}}
    """
    if depth and isinstance(json_value, dict):
        return {name: drop_null_members(value, depth - 1) for name, value in json_value.items() if value is not None}
    if depth and isinstance(json_value, list):
        return [drop_null_members(value, depth - 1) for value in json_value]
    return json_value


CONNECT_SECONDS, READ_SECONDS, TOTAL_SECONDS = 5.0, 10.0, 30.0
MOST_BYTES = 2 * 2**20
MOST_REDIRECTS = 3
REDIRECTS = (301, 302, 303, 307, 308)


class UnansweredRequest(ServiceFault):
    """A request without an answer.

    Attributes:
        may_have_arrived: whether the platform may have acted on it nevertheless.
    """

    def __init__(self, what: str, url: str, *, may_have_arrived: bool = True) -> None:
        advice = "try again; check that this machine can reach the platform"
        super().__init__(what, redact_url_query(url), advice)
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
        raise UnansweredRequest("the server redirects without end", url)

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
            if not allow_private and not proxies:  # the host's name may have had another address before
                _require_public_ip_address(str(connection.getpeername()[0]), escape_for_display(host, 200))

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
                raise UnansweredRequest("cannot reach the server in time", url, may_have_arrived=False) from None
            except (requests.Timeout, TimeoutError):
                raise UnansweredRequest("the server does not answer in time", url) from None
            except (requests.RequestException, HTTPError) as error:  # not its text, which may contain the request
                was_sent = not any(word in repr(error) for word in ("NewConnectionError", "SSLError", "ProxyError"))
                reason = f"the server gives no answer: {type(error).__name__}"
                if deadline.has_passed:
                    reason = "the server does not answer in time"
                raise UnansweredRequest(reason, url, may_have_arrived=was_sent) from None


def _read_bounded(response: requests.Response, url: str) -> bytes:
    body = bytearray()
    for chunk in response.raw.stream(65536, decode_content=False):
        body += chunk
        if len(body) > MOST_BYTES:
            raise UnansweredRequest(f"the answer is longer than {MOST_BYTES} bytes", url)
    return bytes(body)


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
        url = _get_next_page_url(response, url)


def _get_next_page_url(response: HttpResponse, page_url: str) -> str:
    """Return the URL of the page after the one that a response holds; empty after the last page.

    Args:
        response: the response with the page.
        page_url: the URL of the page, to which a relative link refers.

    >>> response = HttpResponse(200, {"link": '</members?page=2>; rel="next"'}, b"")
    >>> _get_next_page_url(response, "https://lms.example/members")
    'https://lms.example/members?page=2'
    """
    match = NEXT_LINK.search(response.headers.get("link", ""))
    return urljoin(page_url, match[1]) if match else ""
