"""How requests to Canvas are sent: they end, and where Canvas asks for it they wait and are sent again."""

from __future__ import annotations

import re
from time import sleep as wait
from typing import Any

import requests
from requests.adapters import HTTPAdapter

SECONDS = (10, 60)
"""To connect, and between two pieces of an answer."""
WAITS = (1, 2, 4, 8, 16, 32, 60, 60)
BUSY = frozenset({502, 503, 504})
LONGEST_WAIT = 300


class Patience(HTTPAdapter):
    """Waits and asks again when Canvas says that it is asked too often; never sends twice what may have arrived."""

    def send(self, request: requests.PreparedRequest, *args: Any, **options: Any) -> requests.Response:
        """Send a request; an answer that says to wait is waited for, with longer and longer pauses."""
        options["timeout"] = SECONDS
        for pause in WAITS:
            response = super().send(request, *args, **options)
            busy = request.method == "GET" and response.status_code in BUSY
            if not busy and not is_throttled(response):
                return response
            response.close()
            wait(_asked_for(response) or pause)
        return super().send(request, *args, **options)


def is_throttled(response: requests.Response) -> bool:
    """Whether Canvas says that it is asked too often: nothing was done then."""
    if response.status_code == 429:
        return True
    if response.status_code != 403:
        return False
    left = response.headers.get("X-Rate-Limit-Remaining", "")
    return bool(re.fullmatch(r"-[0-9.]+|0+(\.0*)?", left)) or b"Rate Limit Exceeded" in response.content[:200]


def _asked_for(response: requests.Response) -> float:
    seconds = response.headers.get("Retry-After", "")
    return min(float(seconds), LONGEST_WAIT) if re.fullmatch("[0-9]{1,9}", seconds) else 0.0
