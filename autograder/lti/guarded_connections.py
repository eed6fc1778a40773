"""Connect with ``requests`` to public addresses alone, and not beyond a deadline."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from autograder.lti.address_guard import require_public_ip_address
from autograder.safe_text import escape_for_display

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


def require_public_peer(connection: socket.socket, host: str) -> None:
    """Refuse a connection into a private network: the host's name may have had another address before.

    Raises:
        RefusedAddress: the connection leads there.
    """
    require_public_ip_address(str(connection.getpeername()[0]), escape_for_display(host, 200))


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
