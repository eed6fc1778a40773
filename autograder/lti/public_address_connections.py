"""Let ``requests`` connect to public addresses alone, even if a name's address changes after a check."""

from __future__ import annotations

from typing import Any

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from autograder.lti.address_guard import require_public_ip_address
from autograder.safe_text import escape_for_display


class _PublicConnection(HTTPConnection):
    """Checks the address that was actually reached: the name may have resolved to another one before."""

    def _new_conn(self) -> Any:
        found = super()._new_conn()
        _check_peer(found, self.host)
        return found


class _PublicSecureConnection(HTTPSConnection):
    def _new_conn(self) -> Any:
        found = super()._new_conn()
        _check_peer(found, self.host)
        return found


class _PublicPool(HTTPConnectionPool):
    ConnectionCls = _PublicConnection


class _PublicSecurePool(HTTPSConnectionPool):
    ConnectionCls = _PublicSecureConnection


class PublicAddressAdapter(HTTPAdapter):
    """Connects to public addresses alone."""

    def init_poolmanager(self, *arguments: Any, **settings: Any) -> None:
        """Make the pools, of connections that check whom they reached."""
        super().init_poolmanager(*arguments, **settings)
        self.poolmanager.pool_classes_by_scheme = {"http": _PublicPool, "https": _PublicSecurePool}


def _check_peer(connected: Any, host: str) -> None:
    try:
        require_public_ip_address(str(connected.getpeername()[0]), escape_for_display(host, 200))
    except BaseException:
        connected.close()
        raise
