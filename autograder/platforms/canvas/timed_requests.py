"""Send requests to Canvas, each with a time limit; where Canvas asks for it, wait and send them again.

Requests about one student take ten seconds at most, whatever Canvas does: one student never holds up a class.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import inf
from queue import Empty, SimpleQueue
from threading import Thread, local
from time import monotonic
from time import sleep as wait
from typing import Any, TypeVar

import requests
from requests.adapters import HTTPAdapter

CONNECT_AND_READ_SECONDS = (10, 60)
"""To connect, and between two pieces of an answer."""
WAIT_SECONDS = (1, 2, 4, 8, 16, 32, 60, 60)
BUSY = frozenset({502, 503, 504})
LONGEST_WAIT = 300
SECONDS_FOR_A_STUDENT = 10.0
"""How many seconds sending one student's score and comment may take, with all requests and pauses."""
TIME_LIMIT = local()
"""Per thread: ``over`` is the time at which its action must end; without it, there is no limit."""
T = TypeVar("T")


class BusyRetryAdapter(HTTPAdapter):
    """Repeats requests that Canvas refuses because of its rate limit, and reads while it is unavailable.

    A change that Canvas may have processed is never sent twice.
    """

    def send(self, request: requests.PreparedRequest, *args: Any, **options: Any) -> requests.Response:
        """Send a request; as long as the answer says to wait, send it again after longer and longer pauses.

        Raises:
            requests.Timeout: the time of ``run_in_thread_with_timeout`` is over; the request is not sent, now or
            later.
        """
        for pause in WAIT_SECONDS:
            response = self._send_once(request, *args, **options)
            is_busy = request.method == "GET" and response.status_code in BUSY
            if not is_busy and not _is_throttled(response):
                return response
            seconds = _get_requested_wait(response) or pause
            if seconds >= _compute_seconds_left():
                return response
            response.close()
            wait(seconds)
        return self._send_once(request, *args, **options)

    def _send_once(self, request: requests.PreparedRequest, *args: Any, **options: Any) -> requests.Response:
        seconds_left = _compute_seconds_left()
        if seconds_left <= 0:
            raise requests.Timeout("the time limit passed before the request was sent")
        options["timeout"] = tuple(min(seconds, seconds_left) for seconds in CONNECT_AND_READ_SECONDS)
        return super().send(request, *args, **options)


def run_in_thread_with_timeout(seconds: float, action: Callable[[], T]) -> T:
    """Return the result of an action that may take so many seconds.

    The action runs in a thread of its own, which is left behind when the time is over: timeouts of sockets do not
    bound an answer that comes byte by byte.

    Raises:
        TimeoutError: the action took longer; it may go on, and its result is lost.
    """
    outcome: SimpleQueue[tuple[T | None, BaseException | None]] = SimpleQueue()

    def run() -> None:
        TIME_LIMIT.over = monotonic() + seconds
        try:
            outcome.put((action(), None))
        except BaseException as error:
            outcome.put((None, error))

    Thread(target=run, daemon=True).start()
    try:
        result, error = outcome.get(timeout=seconds)
    except Empty:
        raise TimeoutError(f"no answer within {seconds:g} seconds") from None
    if error is not None:
        raise error
    return result  # type: ignore[return-value]  # there is one where there is no error


def _compute_seconds_left() -> float:
    return float(getattr(TIME_LIMIT, "over", inf)) - monotonic()


def _is_throttled(response: requests.Response) -> bool:
    """Return whether Canvas refused a request because of its rate limit, without processing it."""
    if response.status_code == 429:
        return True
    if response.status_code != 403:
        return False
    remaining_quota = response.headers.get("X-Rate-Limit-Remaining", "")
    return (
        bool(re.fullmatch(r"-[0-9.]+|0+(\.0*)?", remaining_quota)) or b"Rate Limit Exceeded" in response.content[:200]
    )


def _get_requested_wait(response: requests.Response) -> float:
    seconds = response.headers.get("Retry-After", "")
    return min(float(seconds), LONGEST_WAIT) if re.fullmatch("[0-9]{1,9}", seconds) else 0.0
