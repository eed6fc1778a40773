"""Use Canvas's web service for one assignment's scores. This needs canvasapi, which is installed on request.

Requests about one student take ten seconds at most, whatever Canvas does: one student never holds up a class.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from math import inf
from queue import Empty, SimpleQueue
from threading import Thread, local
from time import monotonic
from time import sleep as wait
from typing import Any, TypeVar

import requests
from canvasapi.assignment import Assignment
from canvasapi.course import Course
from canvasapi.exceptions import (
    CanvasException,
    InvalidAccessToken,
    RateLimitExceeded,
    ResourceDoesNotExist,
    Unauthorized,
)
from canvasapi.requester import Requester
from requests.adapters import HTTPAdapter

from autograder.faults import CallerFault
from autograder.platforms.canvas.score_upload import (
    CanvasGradeAndComments,
    ResponseLost,
    ScoreUploadError,
    ServiceThrottled,
    TokenRejected,
    parse_current_canvas_grade,
)
from autograder.text import escape_for_display

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


UPLOAD_AGAIN_ADVICE = "upload once more: what has arrived is not sent twice"
NEW_TOKEN_ADVICE = "make a new one in Canvas: Account, Settings, New Access Token; and put it into CANVAS_TOKEN"


class CanvasAssignmentClient:
    """Canvas's web service for one assignment in one course; making one asks Canvas for the assignment."""

    def __init__(self, url: str, token: str, course: str, assignment: str) -> None:
        self.url = url.rstrip("/")
        self.course, self.assignment = course, assignment
        self._requester = _RetryingRequester(self.url, token)
        with self._translate_errors():
            self._assignment: Assignment = Course(self._requester, {"id": int(course)}).get_assignment(
                int(assignment)
            )

    def fetch_account_label(self) -> str:
        """Return the name and id by which Canvas knows the token's owner.

        Raises:
            CallerFault: Canvas does not say.
        """
        with self._translate_errors():
            account = self._requester.request("GET", "users/self").json()
            return f"{escape_for_display(str(account.get('name', '')), 80)} ({account['id']})"

    def can_set_scores(self) -> bool:
        """Return whether the token's owner may set scores in the course.

        Raises:
            CallerFault: Canvas does not say.
        """
        with self._translate_errors():
            path = f"courses/{self.course}/permissions"
            permissions = self._requester.request("GET", path, _kwargs=[("permissions[]", "manage_grades")]).json()
            return bool(permissions.get("manage_grades"))

    @property
    def assignment_title(self) -> str:
        """Return what Canvas calls the assignment."""
        return str(self._assignment.name)

    @property
    def points_possible_or_zero(self) -> float:
        """Return full marks; 0 where there are none."""
        return float(getattr(self._assignment, "points_possible", None) or 0)

    @property
    def grading_type(self) -> str:
        """Return how the assignment is graded: ``points``, ``percent``, ``pass_fail`` ..."""
        return str(getattr(self._assignment, "grading_type", "points"))

    def fetch_current_grades(self) -> list[CanvasGradeAndComments]:
        """Return the grade and comments of every student whose name Canvas shows.

        Raises:
            CallerFault: Canvas does not say.
        """
        with self._translate_errors():
            submissions = self._assignment.get_submissions(include=["user", "submission_comments"])
            return [
                parse_current_canvas_grade(submission)
                for submission in submissions
                if getattr(submission, "user_id", None)
            ]

    def send_grade_if_unchanged(
        self, entry: CanvasGradeAndComments, score_or_empty: str, comment_or_empty: str, comment_to_whole_group: bool
    ) -> None:
        """Send a score, a comment or both, if Canvas still holds what it held before; an empty one is not sent.

        The score in Canvas, and whether the student is excused, have to be as in ``entry``.

        Raises:
            ScoreUploadError: Canvas did not take it, or somebody set another score or excused the student
                meanwhile.
        """
        fields: dict[str, dict[str, str]] = {"submission": {"posted_grade": score_or_empty}} if score_or_empty else {}
        if comment_or_empty:
            fields["comment"] = {"text_comment": comment_or_empty} | (
                {"group_comment": "true"} if comment_to_whole_group else {}
            )
        try:
            run_in_thread_with_timeout(SECONDS_FOR_A_STUDENT, lambda: self._send_if_unchanged(entry, fields))
        except RateLimitExceeded as error:
            raise ServiceThrottled(f"Canvas received too many requests; {UPLOAD_AGAIN_ADVICE}") from error
        except TimeoutError as error:
            raise ResponseLost(f"Canvas did not confirm the change ({error}); {UPLOAD_AGAIN_ADVICE}") from error
        except InvalidAccessToken as error:
            raise TokenRejected(f"Canvas no longer accepts the token: {NEW_TOKEN_ADVICE}") from error
        except (requests.RequestException, ValueError, AttributeError, TypeError, KeyError) as error:
            raise ResponseLost(
                f"Canvas did not confirm the change ({_format_error(error)}); {UPLOAD_AGAIN_ADVICE}"
            ) from error
        except CanvasException as error:
            if re.search(r"status code 5\d\d", str(error)):
                raise ResponseLost(f"Canvas failed ({_format_error(error)}); {UPLOAD_AGAIN_ADVICE}") from error
            raise ScoreUploadError(f"Canvas rejected the change: {_format_error(error)}") from error

    def _send_if_unchanged(self, entry: CanvasGradeAndComments, fields: Mapping[str, Mapping[str, str]]) -> None:
        current_grade = parse_current_canvas_grade(self._assignment.get_submission(entry.student.id))
        if (current_grade.score, current_grade.is_excused) != (entry.score, entry.is_excused):
            raise ScoreUploadError("the mark in Canvas changed during the upload and was left unchanged")
        entry.canvasapi_submission.edit(**fields)

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except (InvalidAccessToken, Unauthorized) as error:
            raise CallerFault("Canvas does not accept the token", self.url, NEW_TOKEN_ADVICE) from error
        except ResourceDoesNotExist as error:
            advice = (
                "take the ids from the address of the assignment's page; the token's owner has to teach the course"
            )
            raise CallerFault("Canvas shows no such course or assignment", self.url, advice) from error
        except CanvasException as error:
            raise CallerFault(
                f"Canvas rejected the request: {_format_error(error)}", self.url, "try again later"
            ) from error
        except requests.ConnectionError as error:
            raise CallerFault(f"cannot reach Canvas: {_format_error(error)}", self.url, "check --set url=") from error
        except (requests.RequestException, ValueError, AttributeError, TypeError, KeyError) as error:
            advice = "name with --set url= the address that a browser shows for a course, up to the third slash"
            raise CallerFault("the server does not answer as Canvas does", self.url, advice) from error


class _RetryingRequester(Requester):  # type: ignore[misc]  # canvasapi says nothing about its types
    def __init__(self, url: str, token: str) -> None:
        super().__init__(url, token)
        self._session.mount("https://", BusyRetryAdapter())
        self._session.mount("http://", BusyRetryAdapter())


def _format_error(error: Exception) -> str:
    return escape_for_display(str(error).strip() or type(error).__name__, 160)
