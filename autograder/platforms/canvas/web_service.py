"""Use Canvas's web service for one assignment's scores. This needs canvasapi, which is installed on request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

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

from autograder.faults import CallerFault
from autograder.platforms.canvas.request_retries import FOR_A_STUDENT, ThrottlingAdapter, run_with_time_limit
from autograder.platforms.canvas.student_entries import CanvasEntry, parse_canvas_entry
from autograder.platforms.canvas.upload_errors import AnswerLost, ScoreRefused, ServiceBusy, TokenLocked
from autograder.safe_text import clean_text

AGAIN = "upload once more: what has arrived is not sent twice"
NEW_TOKEN = "make a new one in Canvas: Account, Settings, New Access Token; and put it into CANVAS_TOKEN"


class CanvasService:
    """One assignment in one course."""

    def __init__(self, url: str, token: str, course: str, assignment: str) -> None:
        self.url = url.rstrip("/")
        self.course, self.assignment = course, assignment
        self._requester = _Patient(self.url, token)
        with self._asking():
            self._assignment: Assignment = Course(self._requester, {"id": int(course)}).get_assignment(
                int(assignment)
            )

    def get_account(self) -> str:
        """Return the name and id by which Canvas knows the token's owner.

        Raises:
            CallerFault: Canvas does not say.
        """
        with self._asking():
            found = self._requester.request("GET", "users/self").json()
            return f"{clean_text(str(found.get('name', '')), 80)} ({found['id']})"

    def may_set_scores(self) -> bool:
        """Return whether the token's owner may set scores in the course.

        Raises:
            CallerFault: Canvas does not say.
        """
        with self._asking():
            where = f"courses/{self.course}/permissions"
            found = self._requester.request("GET", where, _kwargs=[("permissions[]", "manage_grades")]).json()
            return bool(found.get("manage_grades"))

    @property
    def assignment_title(self) -> str:
        """Return what Canvas calls the assignment."""
        return str(self._assignment.name)

    @property
    def full_marks(self) -> float:
        """Return full marks; 0 where there are none."""
        return float(getattr(self._assignment, "points_possible", None) or 0)

    @property
    def grading_type(self) -> str:
        """Return how the assignment is graded: ``points``, ``percent``, ``pass_fail`` ..."""
        return str(getattr(self._assignment, "grading_type", "points"))

    def list_entries(self) -> list[CanvasEntry]:
        """Return what Canvas holds for every student whose name it shows.

        Raises:
            CallerFault: Canvas does not say.
        """
        with self._asking():
            found = self._assignment.get_submissions(include=["user", "submission_comments"])
            return [parse_canvas_entry(one) for one in found if getattr(one, "user_id", None)]

    def send_score(self, entry: CanvasEntry, score: str, comment: str, whole_group: bool) -> None:
        """Send a score, a comment or both, if Canvas still holds what it held before; an empty one is not sent.

        Raises:
            Refused: Canvas did not take it, or somebody set another score meanwhile.
        """
        sent: dict[str, dict[str, str]] = {"submission": {"posted_grade": score}} if score else {}
        if comment:
            sent["comment"] = {"text_comment": comment} | ({"group_comment": "true"} if whole_group else {})
        try:
            run_with_time_limit(FOR_A_STUDENT, lambda: self._put(entry, sent))
        except RateLimitExceeded as error:
            raise ServiceBusy(f"Canvas is asked too often; {AGAIN}") from error
        except TimeoutError as error:
            raise AnswerLost(f"it is not known whether it arrived ({error}); {AGAIN}") from error
        except InvalidAccessToken as error:
            raise TokenLocked(f"the token does not count any more: {NEW_TOKEN}") from error
        except (requests.RequestException, ValueError, AttributeError, TypeError, KeyError) as error:
            raise AnswerLost(f"it is not known whether it arrived ({_short(error)}); {AGAIN}") from error
        except CanvasException as error:
            if re.search(r"status code 5\d\d", str(error)):
                raise AnswerLost(f"Canvas failed ({_short(error)}); {AGAIN}") from error
            raise ScoreRefused(f"Canvas does not take it: {_short(error)}") from error

    def _put(self, entry: CanvasEntry, sent: Mapping[str, Mapping[str, str]]) -> None:
        now = parse_canvas_entry(self._assignment.get_submission(entry.user["id"]))
        if (now.score, now.excused) != (entry.score, entry.excused):
            raise ScoreRefused("somebody changed it a moment ago, which stays")
        entry.handle.edit(**sent)

    @contextmanager
    def _asking(self) -> Iterator[None]:
        try:
            yield
        except (InvalidAccessToken, Unauthorized) as error:
            raise CallerFault("does not let this token in", self.url, NEW_TOKEN) from error
        except ResourceDoesNotExist as error:
            advice = "the ids are in the address of the assignment's page; the token's owner has to teach the course"
            raise CallerFault("shows no such course or assignment", self.url, advice) from error
        except CanvasException as error:
            raise CallerFault(f"does not say: {_short(error)}", self.url, "try again later") from error
        except requests.ConnectionError as error:
            raise CallerFault(f"cannot be reached: {_short(error)}", self.url, "is it --set url=?") from error
        except (requests.RequestException, ValueError, AttributeError, TypeError, KeyError) as error:
            advice = "name with --set url= the address that a browser shows for a course, up to the third slash"
            raise CallerFault("does not answer as Canvas does", self.url, advice) from error


class _Patient(Requester):  # type: ignore[misc]  # canvasapi says nothing about its types
    def __init__(self, url: str, token: str) -> None:
        super().__init__(url, token)
        self._session.mount("https://", ThrottlingAdapter())
        self._session.mount("http://", ThrottlingAdapter())


def _short(error: Exception) -> str:
    return clean_text(str(error).strip() or type(error).__name__, 160)
