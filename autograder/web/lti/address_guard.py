"""Refuse URLs of platforms that lead to this machine or a private network, or do not use HTTPS, unless allowed."""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit

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
        require_public_ip_address(address, location)


def require_public_ip_address(ip_address_text: str, place_named_in_error: str) -> None:
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
