"""Send scores and comments to Canvas's web service: only those that change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from autograder.faults import CallerFault
from autograder.platforms.canvas.connection_setup import connect_to_canvas_assignment
from autograder.platforms.canvas.current_grade import CanvasGradeAndComments
from autograder.platforms.canvas.gradebook_export import (
    list_late_policy_warnings,
    require_points_possible,
)
from autograder.platforms.canvas.score_upload_plans import (
    StudentScoreUploadPlan,
    plan_score_uploads,
)
from autograder.platforms.canvas.student_matching import CanvasStudentIndex, match_results_to_students
from autograder.platforms.canvas.upload_errors import (
    ResponseLost,
    ScoreUploadError,
    ServiceThrottled,
    TokenRejected,
)
from autograder.platforms.common.export_points import rescale_points
from autograder.platforms.common.platform_model import ClassResults, ExportOptions, ExportResult, UploadObserver
from autograder.safe_text import escape_for_display

if TYPE_CHECKING:
    from autograder.platforms.canvas.assignment_service import CanvasAssignmentClient

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
    plans = plan_score_uploads(
        result_by_student_id,
        entry_by_student_id,
        lambda points: rescale_points(points, results.max_points, points_possible),
        without_comments,
        service.assignment,
        options,
    )
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
    service = connect_to_canvas_assignment(options)
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
