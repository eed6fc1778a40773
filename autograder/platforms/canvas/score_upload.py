"""Send scores and comments to Canvas's web service: only those that change."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from autograder.faults import CallerFault
from autograder.kit_version import advise_to_install_extra
from autograder.platforms.canvas.gradebook import (
    KEPT_SCORES,
    format_score,
    list_late_policy_warnings,
    plan_score_change,
    require_points_possible,
)
from autograder.platforms.canvas.student_matching import CanvasStudent, CanvasStudentIndex, match_results_to_students
from autograder.platforms.common.export_points import rescale_points
from autograder.platforms.common.manual_mark_protection import protect_manual_entries
from autograder.platforms.common.platform_model import (
    ClassResults,
    ExportChange,
    ExportOptions,
    ExportResult,
    SubmissionResult,
    UploadObserver,
)
from autograder.reports import ScoreReport
from autograder.reports.causes import list_causes
from autograder.reports.report_model import filter_report_for_student
from autograder.reports.unpassed_tests import UnpassedTestsOfConcept, iterate_concepts_to_fix
from autograder.reports.wording import (
    format_lateness_line,
    format_points,
    format_points_ignoring_lateness,
    iterate_decision_lines_for_student,
)
from autograder.text import escape_for_display, replace_unprintable_characters

if TYPE_CHECKING:
    from autograder.platforms.canvas.assignment_service import CanvasAssignmentClient


class ScoreUploadError(Exception):
    """A score was not taken, or it is not known whether it was; the message says why."""


class ResponseLost(ScoreUploadError):
    """Canvas did not answer; it may have saved the change nevertheless."""


class ServiceThrottled(ScoreUploadError):
    """Canvas refused the request because of its rate limit, and changed nothing."""


class TokenRejected(ScoreUploadError):
    """Canvas no longer accepts the token, so all further requests will fail."""


@dataclass(frozen=True, slots=True)
class CanvasGradeAndComments:
    """The grade and comments that Canvas holds for one student in one assignment."""

    student: CanvasStudent
    score: float | None
    """The score as it was entered, before Canvas's own late policy."""
    is_excused: bool
    is_assigned: bool
    comments: tuple[str, ...]
    canvasapi_submission: Any
    graded_at: str = ""
    """When the score was last changed; empty where there is none."""


def parse_current_canvas_grade(canvasapi_submission: Any) -> CanvasGradeAndComments:
    """Return what Canvas's answer about a submission says."""
    user = getattr(canvasapi_submission, "user", None) or {}
    score = getattr(canvasapi_submission, "entered_score", None)
    score = getattr(canvasapi_submission, "score", None) if score is None else score
    return CanvasGradeAndComments(
        student=CanvasStudent(
            str(canvasapi_submission.user_id),
            str(user.get("sortable_name") or user.get("name") or ""),
            *(str(user.get(key) or "") for key in ("sis_user_id", "login_id", "email")),
        ),
        score=None if score is None else float(score),
        is_excused=bool(getattr(canvasapi_submission, "excused", False)),
        is_assigned=getattr(canvasapi_submission, "assignment_visible", True) is not False,
        comments=tuple(
            str(comment.get("comment", ""))
            for comment in getattr(canvasapi_submission, "submission_comments", None) or ()
        ),
        canvasapi_submission=canvasapi_submission,
        graded_at=str(getattr(canvasapi_submission, "graded_at", None) or ""),
    )


LONGEST = 4000


def format_score_comment(full_report: ScoreReport) -> str:
    """Return a comment with the points, all deductions, and for each concept the first thing to look at.

    Nothing in the comment changes from one run to the next, so that the same result has the same comment.
    """
    text = replace_unprintable_characters(
        "\n".join(_iterate_lines(filter_report_for_student(full_report, "published")))
    )
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _iterate_lines(report: ScoreReport) -> Iterator[str]:
    yield format_points_ignoring_lateness(report)
    if report.lateness and report.lateness.seconds_late:
        yield format_lateness_line(report, report.lateness)
    yield from iterate_decision_lines_for_student(report)
    if report.status.message:
        yield report.status.message
    for cause in list_causes(report):
        yield f"{cause.joined_titles}{cause.concepts_suffix} {cause.first_hint}".rstrip()
    for unpassed_tests in iterate_concepts_to_fix(report):
        points = f"{format_points(unpassed_tests.concept.score)} of {format_points(unpassed_tests.concept.max_score)}"
        yield f"{unpassed_tests.concept.name}, {points}: {_format_first_test(unpassed_tests)}"


def _format_first_test(unpassed_tests: UnpassedTestsOfConcept) -> str:
    if not unpassed_tests.tried:
        return unpassed_tests.untried[0].line
    first_test = unpassed_tests.tried[0]
    return f"{first_test.sentences[0]} {first_test.happened}" + (
        f" Try: {first_test.hint}" if first_test.hint and not first_test.explained else ""
    )


@dataclass(frozen=True, slots=True)
class StudentScoreUploadPlan:
    """The score and the comment to send to Canvas for one student, as far as they are not there yet."""

    change: ExportChange
    entry: CanvasGradeAndComments
    comment: str
    """Empty if it is there already."""
    comment_to_whole_group: bool
    """Whether the comment goes to the student's whole group, because only this member is known."""

    @property
    def changes_to_send(self) -> list[ExportChange]:
        """Return the changes to send, a score, a comment or both; none if the student is left out for a reason."""
        if self.change.note:
            return []
        comment_change = replace(self.change, what="comment", before="", after=self.comment, overwrites=False)
        return [*([self.change] if self.new_score_or_empty else []), *([comment_change] if self.comment else [])]

    @property
    def new_score_or_empty(self) -> str:
        """Return the new score; empty if it is there already."""
        return self.change.after if self.change.has_new_value else ""


def _plan_score_change(
    entry: CanvasGradeAndComments,
    result: SubmissionResult,
    new_score: str,
    canvas_assignment_id: str,
    options: ExportOptions,
) -> ExportChange:
    student = entry.student
    old_score = "" if entry.score is None else format_score(Decimal(repr(entry.score)))
    change = plan_score_change(student, old_score, new_score)
    if entry.is_excused or not entry.is_assigned:
        note = KEPT_SCORES["EX" if entry.is_excused else "N/A"]
        change = ExportChange(student.label, old_score, old_score, note, student.id)
    change = replace(change, place=canvas_assignment_id, submission=result.name, seen=entry.graded_at)
    return protect_manual_entries(change, options)


def _make_new_comment(entry: CanvasGradeAndComments, result: SubmissionResult) -> str:
    """Return the comment; empty if it is there already."""
    comment = format_score_comment(result.report)
    return "" if comment.split() in (old_comment.split() for old_comment in entry.comments) else comment


TOKEN_VARIABLE = "CANVAS_TOKEN"
LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
"""Hosts that may be contacted without encryption, because the traffic does not leave this machine."""


def _connect_to_canvas_assignment(options: ExportOptions) -> CanvasAssignmentClient:
    """Return the service that the settings name, ready to be asked.

    Raises:
        CallerFault: canvasapi, a setting or the token is missing or malformed, or Canvas refuses access.
    """
    if find_spec("canvasapi") is None:
        raise CallerFault("the package canvasapi is not installed", advice=advise_to_install_extra("canvas"))
    from autograder.platforms.canvas.assignment_service import CanvasAssignmentClient

    settings = {key: options.settings.get(key, "").strip() for key in ("url", "course", "assignment")}
    for key, value in settings.items():
        if not value or (key != "url" and not re.fullmatch("[0-9]+", value)):
            problem = f"the {key} '{value}' is not a number" if value else f"missing setting --set {key}=..."
            raise CallerFault(problem, "--set" if value else "", "copy it from the address of the assignment's page")
    address = urlsplit(settings["url"])
    if address.scheme != "https" and not (address.scheme == "http" and address.hostname in LOCAL_HOSTS):
        location = f"--set url={settings['url']}"
        raise CallerFault("the address does not begin with https://", location, "copy it as the browser shows it")
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if not token.isascii() or not token.isprintable() or not token:
        advice = "make one in Canvas: Account, Settings, New Access Token; it never belongs on a command line"
        problem = "the access token holds characters that no token has" if token else "the access token is not set"
        raise CallerFault(problem, TOKEN_VARIABLE, advice)
    base_url = f"{address.scheme}://{address.netloc}"
    return CanvasAssignmentClient(base_url, token, settings["course"], settings["assignment"])


NO_KINDS = frozenset({"pass_fail", "not_graded"})
MOST_LOST = 3
"""After so many students in a row without an answer (or throttled), Canvas counts as unreachable."""


def upload_changes(
    results: ClassResults, options: ExportOptions, dry_run: bool, progress: UploadObserver
) -> ExportResult:
    """Send each student's score and comment if they differ from those in Canvas.

    Args:
        results: the class.
        options: ``url``, ``course`` and ``assignment`` among the settings; the token is in CANVAS_TOKEN.
        dry_run: send nothing, and say what would change.
        progress: receives the number of students done, and Canvas's answer to each change.

    Raises:
        CallerFault: a setting is missing, or Canvas refuses access; nothing was sent.
    """
    without_comments = options.get_choice_setting("comment", "yes", "no") == "no"
    service = _open_service(options)
    points_possible = require_points_possible(
        Decimal(repr(service.points_possible_or_zero)), options, results, _format_destination(service)
    )
    entry_by_student_id = {entry.student.id: entry for entry in service.fetch_current_grades()}
    result_by_student_id, unmatched = match_results_to_students(
        results.rows, CanvasStudentIndex(entry.student for entry in entry_by_student_id.values())
    )
    submission_counts = Counter(result.name for result in result_by_student_id.values())
    plans = []
    for id_, result in result_by_student_id.items():
        entry = entry_by_student_id[id_]
        new_score = format_score(rescale_points(result.points, results.max_points, points_possible))
        change = _plan_score_change(entry, result, new_score, service.assignment, options)
        comment = "" if without_comments else _make_new_comment(entry, result)
        plans.append(StudentScoreUploadPlan(change, entry, comment, submission_counts[result.name] == 1))
    sent_plans, failures = _send_plans(service, [plan for plan in plans if plan.changes_to_send], dry_run, progress)
    students_without_result = [
        entry.student.label
        for id_, entry in entry_by_student_id.items()
        if id_ not in result_by_student_id and _accepts_score(entry)
    ]
    comment_count = sum(bool(plan.comment) for plan in sent_plans)
    return ExportResult(
        files={},
        changes=tuple(plan.change for plan in (*sent_plans, *(plan for plan in plans if not plan.changes_to_send))),
        unmatched=tuple(unmatched),
        missing=tuple(students_without_result),
        notes=(*([f"new comments: {comment_count}"] if comment_count else []), *list_late_policy_warnings(results)),
        failed=tuple(failures),
    )


def iterate_access_check_lines(options: ExportOptions) -> Iterator[str]:
    """Yield what an upload with these settings would reach: address, account, course, assignment. Nothing is sent.

    Raises:
        CallerFault: a setting is missing, Canvas refuses access, or the token's owner may not grade.
    """
    service = _open_service(options)
    yield f"address: {service.url}"
    yield f"token: of {service.fetch_account_label()}"
    if not service.can_set_scores():
        advice = "ask whoever runs the course for the right to edit grades"
        raise CallerFault("the token's owner may not set marks", f"{service.url}, course {service.course}", advice)
    yield f"course: {service.course}, in which marks may be set"
    yield (
        f"assignment: {escape_for_display(service.assignment_title, 80)} ({service.assignment}), "
        f"{service.points_possible_or_zero:g} "
        "points"
    )
    yield f"students: {len(service.fetch_current_grades())}"


def _open_service(options: ExportOptions) -> CanvasAssignmentClient:
    """Return the service for an assignment, which must be graded in points."""
    service = _connect_to_canvas_assignment(options)
    if service.grading_type in NO_KINDS:
        raise CallerFault(
            "the assignment is not graded in points", _format_destination(service), "set it to points in Canvas"
        )
    return service


def _send_plans(
    service: CanvasAssignmentClient, plans: Sequence[StudentScoreUploadPlan], dry_run: bool, progress: UploadObserver
) -> tuple[list[StudentScoreUploadPlan], list[str]]:
    """Send plans, unless it is a dry run; return those sent, and a sentence for each that was not taken."""
    if dry_run or not plans:
        return [*plans], []
    account = service.fetch_account_label()
    sent_plans: list[StudentScoreUploadPlan] = []
    failures: list[str] = []
    lost_count = 0
    for position, plan in enumerate(plans, start=1):
        record_ids = progress.begin(plan.changes_to_send, account)
        try:
            service.send_grade_if_unchanged(
                plan.entry, plan.new_score_or_empty, plan.comment, plan.comment_to_whole_group
            )
            progress.end(record_ids, "taken", "")
            sent_plans.append(plan)
            lost_count = 0
        except ScoreUploadError as error:
            progress.end(record_ids, "unknown" if isinstance(error, ResponseLost) else "refused", str(error))
            failures.append(f"{plan.change.student}: {error}")
            lost_count = lost_count + 1 if isinstance(error, (ResponseLost, ServiceThrottled)) else 0
            if isinstance(error, TokenRejected) or lost_count == MOST_LOST:
                unsent_count = len(plans) - position
                failures += [f"{unsent_count} more were not sent; upload once more"] if unsent_count else []
                break
        progress(position, len(plans))
    return sent_plans, failures


def _accepts_score(entry: CanvasGradeAndComments) -> bool:
    return entry.is_assigned and not entry.is_excused and not entry.student.is_test_student


def _format_destination(service: CanvasAssignmentClient) -> str:
    return f"{service.url}, {escape_for_display(service.assignment_title, 80)}"
