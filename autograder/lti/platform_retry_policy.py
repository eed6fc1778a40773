"""Decide which answers of a platform are worth another try, and when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from autograder.faults import KitFault
from autograder.lti.access_tokens import AccessTokenNotGranted
from autograder.lti.http_client import HttpResponse, UnansweredRequest
from autograder.safe_text import escape_for_display
from autograder.store.lti.mark_outbox_table import LONGEST_WAIT

MOST_CHARACTERS = 500
NOT_SENT = -1
"""The status of a request that must not be sent; it is not tried again."""

FIRST_SECONDS, LONGEST_SECONDS = 2.0, LONGEST_WAIT.total_seconds()
MOST_TRIES = 10
MOST_TRIES_OF_500 = 5
"""Fewer tries for status 500, with which Moodle permanently answers if a mark is locked."""
GROWTH = (LONGEST_SECONDS / FIRST_SECONDS) ** (1 / (MOST_TRIES - 2))
"""The factor between two waits, chosen so that the last wait is the longest one allowed."""
AGAIN = frozenset({0, 401, 408, 409, 425, 429})
"""Statuses besides 5xx that are worth another try; 0 means that no answer came."""


@dataclass(frozen=True, slots=True)
class PlatformAnswer:
    """The outcome of a request."""

    status: int
    """0 where no answer came."""
    body: str = ""
    """The beginning of the answer, or why there is none; escaped."""
    retry_after: float | None = None
    """Seconds that the platform asks to wait."""

    def __str__(self) -> str:
        """Return the answer's status and beginning, or why there is none."""
        return f"status {self.status}: {self.body}" if self.status > 0 else self.body

    @property
    def is_ok(self) -> bool:
        """Return whether the platform took the message."""
        return 200 <= self.status < 300

    @property
    def is_refused_as_outdated(self) -> bool:
        """Return whether the platform refused the message as older than its own; Open edX and Canvas answer 400."""
        return self.status == 409 or (self.status == 400 and "timestamp" in self.body.lower())

    @property
    def is_retryable(self) -> bool:
        """Return whether the same request may be answered otherwise later."""
        is_rate_limit = self.status == 403 and "rate limit" in self.body.lower()  # Canvas
        return self.status in AGAIN or self.status >= 500 or self.is_refused_as_outdated or is_rate_limit


def compute_retry_delay(
    tries_so_far: int, jitter_fraction: float, retry_after_seconds: float | None = None
) -> timedelta:
    """Return how long to wait after some tries.

    Args:
        tries_so_far: how many tries there were; at least 1.
        jitter_fraction: a random number from 0 to 1, so that marks that failed together are not sent together.
        retry_after_seconds: seconds that the platform asks for.

    >>> compute_retry_delay(1, 0.5).total_seconds()
    2.0
    >>> compute_retry_delay(1, 0.5, retry_after_seconds=600).total_seconds()
    600.0
    """
    seconds = FIRST_SECONDS * GROWTH ** (tries_so_far - 1) * (0.75 + 0.5 * jitter_fraction)
    bounded_seconds = min(max(seconds, FIRST_SECONDS), LONGEST_SECONDS)
    return timedelta(seconds=max(bounded_seconds, min(retry_after_seconds or 0.0, LONGEST_SECONDS)))


def get_max_tries(status: int) -> int:
    """Return how many tries a mark has if they fail with this status; then a person has to look at it."""
    return MOST_TRIES_OF_500 if status == 500 else MOST_TRIES


def parse_retry_after_seconds_or_none(header_value: str, now: datetime) -> float | None:
    """Return the seconds that a ``Retry-After`` header asks for; None if it says nothing that can be read.

    >>> from datetime import UTC
    >>> parse_retry_after_seconds_or_none("Tue, 24 Nov 2026 02:00:30 GMT", datetime(2026, 11, 24, 2, tzinfo=UTC))
    30.0
    """
    if header_value.strip().isascii() and header_value.strip().isdigit():
        return float(header_value.strip()[:9])
    try:
        moment = parsedate_to_datetime(header_value)
        return max((moment - now).total_seconds(), 0.0)
    except (ValueError, TypeError):
        return None


def convert_response_to_platform_answer(response: HttpResponse) -> PlatformAnswer:
    """Return a response as a platform's answer: its status, the beginning of its text, and the seconds to wait.

    A 403 whose headers say that the rate limit is used up becomes a 429.

    >>> from autograder.lti.http_client import HttpResponse
    >>> convert_response_to_platform_answer(HttpResponse(403, {"x-rate-limit-remaining": "0.0"}, b"")).status
    429
    """
    text = escape_for_display(response.body[: 4 * MOST_CHARACTERS].decode("utf-8", "replace"), MOST_CHARACTERS)
    retry_after = parse_retry_after_seconds_or_none(response.headers.get("retry-after", ""), datetime.now(UTC))
    is_used_up = response.status == 403 and response.headers.get("x-rate-limit-remaining", "").strip() in ("0", "0.0")
    return PlatformAnswer(429 if is_used_up else response.status, text, retry_after)


def convert_fault_to_platform_answer(fault: KitFault) -> PlatformAnswer:
    """Return a platform answer for a request that failed without one."""
    status = 0 if isinstance(fault, UnansweredRequest | AccessTokenNotGranted) else NOT_SENT
    return PlatformAnswer(status, escape_for_display(str(fault), MOST_CHARACTERS))
