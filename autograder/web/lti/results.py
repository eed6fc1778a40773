"""Make score messages, read the marks that stand on a platform, and judge its answers."""

from __future__ import annotations

import html
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

import msgspec

from autograder.faults import KitFault
from autograder.text import escape_for_display
from autograder.web.lti.http import HttpResponse, UnansweredRequest, decode_json_response
from autograder.web.lti.tool import AccessTokenNotGranted, PlatformClient, append_path_segment_to_url
from autograder.web.store.lti.outbox import LONGEST_WAIT
from autograder.web.store.lti.platforms import PlatformKind
from autograder.web.store.lti.tables import MarkWithComment, OutboxMark

MOST_ROUNDED = 0.005
"""Largest difference in points that counts as rounding: gradebooks keep hundredths."""
MOST_ROUNDED_SHARE = 0.0005
"""The same as a share of full marks, for small maxima."""


class PlatformResult(msgspec.Struct, frozen=True, rename="camel"):
    """The mark of one person on the platform."""

    user_id: str
    result_score: float | None = None
    result_maximum: float | None = None
    comment: str | None = None
    timestamp: str | None = None

    @property
    def written_at(self) -> datetime | None:
        """Return when the platform wrote it, by its own clock; None where it does not say."""
        try:
            moment = datetime.fromisoformat(self.timestamp or "")
        except ValueError:
            return None
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def parse_platform_results(json_body: bytes) -> list[PlatformResult]:
    """Return the results of an answer.

    Raises:
        ValueError: it holds none.

    >>> parse_platform_results(b'[{"userId": "7", "resultScore": "15.5", "resultMaximum": 20}]')[0].result_score
    15.5
    """
    return decode_json_response(json_body, list[PlatformResult])


def has_equivalent_points(platform_result: PlatformResult, mark_value: MarkWithComment) -> bool:
    """Return whether a gradebook shows the points of a mark, whatever it scales them to.

    >>> has_equivalent_points(PlatformResult("7", 77.5, 100), MarkWithComment(15.5, 20, ""))
    True
    """
    if platform_result.result_score is None:
        return False
    maximum = platform_result.result_maximum or mark_value.maximum
    expected_points = mark_value.points * maximum / mark_value.maximum if mark_value.maximum else mark_value.points
    return (
        abs(platform_result.result_score - expected_points) <= min(MOST_ROUNDED, maximum * MOST_ROUNDED_SHARE) + 1e-9
    )


def certainly_matches_mark(
    platform_result: PlatformResult, mark_value: MarkWithComment, other_possible_values: Iterable[MarkWithComment]
) -> bool:
    """Return whether a gradebook certainly shows a mark and its comment.

    Args:
        platform_result: what it shows.
        mark_value: the mark.
        other_possible_values: other marks that may be there. If a platform does not show comments, one with the
            same points and another comment cannot be told from this one.
    """
    if not has_equivalent_points(platform_result, mark_value):
        return False
    if platform_result.comment is not None:
        return _simplify_comment(platform_result.comment) == _simplify_comment(mark_value.comment)
    return all(
        value.comment == mark_value.comment or not has_equivalent_points(platform_result, value)
        for value in other_possible_values
    )


def _simplify_comment(comment: str) -> str:
    """Return a comment without what platforms change: spaces, ends of lines, escapes."""
    return " ".join(html.unescape(comment).split())


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


def _parse_retry_after_seconds_or_none(header_value: str, now: datetime) -> float | None:
    """Return the seconds that a ``Retry-After`` header asks for; None if it says nothing that can be read.

    >>> from datetime import UTC
    >>> _parse_retry_after_seconds_or_none("Tue, 24 Nov 2026 02:00:30 GMT", datetime(2026, 11, 24, 2, tzinfo=UTC))
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

    >>> from autograder.web.lti.http import HttpResponse
    >>> convert_response_to_platform_answer(HttpResponse(403, {"x-rate-limit-remaining": "0.0"}, b"")).status
    429
    """
    text = escape_for_display(response.body[: 4 * MOST_CHARACTERS].decode("utf-8", "replace"), MOST_CHARACTERS)
    retry_after = _parse_retry_after_seconds_or_none(response.headers.get("retry-after", ""), datetime.now(UTC))
    is_used_up = response.status == 403 and response.headers.get("x-rate-limit-remaining", "").strip() in ("0", "0.0")
    return PlatformAnswer(429 if is_used_up else response.status, text, retry_after)


def convert_fault_to_platform_answer(fault: KitFault) -> PlatformAnswer:
    """Return a platform answer for a request that failed without one."""
    status = 0 if isinstance(fault, UnansweredRequest | AccessTokenNotGranted) else NOT_SENT
    return PlatformAnswer(status, escape_for_display(str(fault), MOST_CHARACTERS))


RESULTS_TYPE = "application/vnd.ims.lis.v2.resultcontainer+json"


def fetch_results(
    client: PlatformClient, line_item_url: str, token_scopes: Collection[str], only_subject: str = ""
) -> tuple[PlatformAnswer, list[PlatformResult]]:
    """Fetch all pages of a line item's results; return the last answer and the results.

    A failed request does not raise. If a page fails, the answer describes the failure, and the results are those of
    all persons on the pages before it.

    Args:
        client: the platform's.
        line_item_url: the line item.
        token_scopes: what the token is for.
        only_subject: the only person who is asked for; everybody when empty.
    """
    url = append_path_segment_to_url(line_item_url, "results")
    if only_subject:
        url = add_query_fields_to_url(url, user_id=only_subject)
    results: list[PlatformResult] = []
    answer = PlatformAnswer(200)

    try:
        for response in client.fetch_pages(url, token_scopes, RESULTS_TYPE, "results"):
            answer = convert_response_to_platform_answer(response)
            if not answer.is_ok:
                return answer, results
            results += parse_platform_results(response.body)
    except KitFault as fault:
        return convert_fault_to_platform_answer(fault), results
    except ValueError:
        return PlatformAnswer(0, "the answer is not a list of results"), results
    return answer, [result for result in results if only_subject in ("", result.user_id)]


def add_query_fields_to_url(url: str, **fields: str) -> str:
    """Return a URL with query fields added.

    >>> add_query_fields_to_url("https://lms.example/results?type_id=1", user_id="a b")
    'https://lms.example/results?type_id=1&user_id=a+b'
    """
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query="&".join(filter(None, (parts.query, urlencode(fields))))))


SCORE_TYPE = "application/vnd.ims.lis.v1.score+json"


def make_score_message(mark: OutboxMark, subject_on_platform: str, platform_kind: PlatformKind) -> dict[str, Any]:
    """Return the message for a mark that is about to be sent.

    Args:
        mark: the mark; its ``last_timestamp`` is that of this message.
        subject_on_platform: what the platform calls the person.
        platform_kind: the kind of platform. Canvas appends each comment to earlier ones, so it gets a comment only if
            it changed; other platforms delete a comment that is not sent again, so they always get it.

    >>> from types import SimpleNamespace
    >>> from autograder.web.store.lti.tables import MarkWithComment
    >>> value, sent_at = MarkWithComment(15.5, 20, "Good."), datetime(2026, 12, 10, tzinfo=UTC)
    >>> mark = SimpleNamespace(value=value, last_timestamp=sent_at, confirmed=value, overwrites=False)
    >>> make_score_message(mark, "7", "moodle")["comment"], "comment" in make_score_message(mark, "7", "canvas")
    ('Good.', False)
    """
    assert mark.last_timestamp is not None
    value, is_canvas = mark.value, platform_kind == "canvas"
    message: dict[str, Any] = {
        "userId": subject_on_platform,
        "scoreGiven": value.points,
        "scoreMaximum": value.maximum,
        "activityProgress": "Completed",
        "gradingProgress": "FullyGraded",
        "timestamp": format_iso_utc(mark.last_timestamp),
    }
    if not (is_canvas and mark.confirmed is not None and mark.confirmed.comment == value.comment):
        message["comment"] = value.comment
    if value.submitted_at:  # for platforms that say what is late
        message["submission"] = {"submittedAt": value.submitted_at}
    if is_canvas:  # https://developerdocs.instructure.com/services/canvas/resources/score
        options = {"prioritize_non_tool_grade": not mark.overwrites, "preserve_score": True}
        message["https://canvas.instructure.com/lti/submission"] = options
    return message


def format_iso_utc(moment: datetime) -> str:
    """Return a moment as platforms take it.

    >>> format_iso_utc(datetime(2026, 12, 10, 14, 46, 16, 327000, UTC))
    '2026-12-10T14:46:16.327Z'
    """
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"
