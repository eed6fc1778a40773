"""Use Canvas's web service for one assignment's scores. This needs canvasapi, which is installed on request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

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
from urllib3.util import Retry

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

BUSY = (429, 502, 503, 504)
CONNECT_AND_READ_SECONDS = (10, 60)
"""To connect, and between two pieces of an answer."""


class BusyRetryAdapter(HTTPAdapter):
    """Repeats reads while Canvas is busy or unavailable; a change that it may have processed is never sent twice."""

    def __init__(self) -> None:
        super().__init__(
            max_retries=Retry(
                5, status_forcelist=BUSY, allowed_methods={"GET"}, backoff_factor=1, raise_on_status=False
            )
        )

    def send(self, request: requests.PreparedRequest, *args: Any, **options: Any) -> requests.Response:
        """Send a request that ends some time."""
        return super().send(request, *args, **{**options, "timeout": CONNECT_AND_READ_SECONDS})


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
            self._send_if_unchanged(entry, fields)
        except InvalidAccessToken as error:
            raise TokenRejected(f"Canvas no longer accepts the token: {NEW_TOKEN_ADVICE}") from error
        except (requests.RequestException, ValueError, AttributeError, TypeError, KeyError) as error:
            raise ResponseLost(
                f"Canvas did not confirm the change ({_format_error(error)}); {UPLOAD_AGAIN_ADVICE}"
            ) from error
        except CanvasException as error:
            if isinstance(error, RateLimitExceeded) or "Rate Limit" in str(error):
                raise ServiceThrottled(f"Canvas received too many requests; {UPLOAD_AGAIN_ADVICE}") from error
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
