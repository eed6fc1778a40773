"""Write the table of a batch: one row per submission, and which of a student's submissions counts."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path

from autograder.atomic_file_writing import write_file_atomically
from autograder.batch.personalized_reports import ReportPersonalizationContext
from autograder.course import Assignment
from autograder.formula_injection import neutralize_formula
from autograder.lateness import SubmissionTimes, select_counting_submissions
from autograder.reports import ScoreReport
from autograder.reports.decision_text import list_decision_lines_for_staff
from autograder.reports.report_wording import format_points
from autograder.safe_text import escape_name_unambiguously
from autograder.submissions import SubmissionOrigin
from autograder.submissions.written_submission_names import format_name_for_gradebook

FIRST_COLUMNS = ("submission", "score", "max_score", "bonus", "status")
LAST_COLUMNS = (
    "grader_errors",
    "message",
    "final_score",
    "final_bonus",
    "days_late",
    "percent_off",
    "handed_in",
    "student",
    "extension_of",
    "kit",
    "provisional",
    "fresh_look",
    "version",
    "path",
    "by_tests",
    "decisions",
    "counts",
)
PLATFORM_COLUMNS = ("name", "email", "group", "attempt", "marked_late")
"""Further columns for a class that came from a platform, or has a roster."""


def write_gradebook(
    reports: Iterable[ScoreReport],
    assignment: Assignment,
    csv_path: Path,
    context: ReportPersonalizationContext,
) -> None:
    """Write ``gradebook.csv``: total points, points per concept, flags for review, and the final score.

    Args:
        reports: one per submission, with lateness where it is known; read one at a time and not kept.
        assignment: gives the columns, and says which of several attempts counts.
        csv_path: where to write.
        context: whose submissions they are and where they came from, as far as that is known.

    Raises:
        CallerFault: the file cannot be written.
    """
    submission_times, origins = context.submission_times or SubmissionTimes(), context.origins
    rows = io.StringIO(newline="")
    writer = csv.writer(rows)
    totals: dict[str, float] = {}
    for report in reports:
        path_there = context.paths.get(report.submission.id, "")
        cells = _format_row(report, assignment, submission_times, origins, path_there)
        writer.writerow([report.submission.id, *cells])
        totals[report.submission.id] = report.final.total
    count = select_counting_submissions(
        totals.items(), submission_times, assignment.deadline_rules.which_attempt_counts
    )
    concepts = [concept.name for concept in assignment.concepts]
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([*FIRST_COLUMNS, *concepts, *LAST_COLUMNS, *(PLATFORM_COLUMNS if origins else ())])
    rows.seek(0)
    for submission, *row_cells in csv.reader(rows):
        origin = _format_origin_cells(origins.get(submission)) if origins else ()
        writer.writerow([neutralize_formula(submission), *row_cells, "yes" if submission in count else "no", *origin])
    write_file_atomically(csv_path, text.getvalue().encode())


def _format_origin_cells(origin: SubmissionOrigin | None) -> tuple[str, ...]:
    """Return what is known of where a submission came from, in the columns of ``PLATFORM_COLUMNS``."""
    people = origin.people if origin else ()
    names, emails = " + ".join(one.name for one in people), " + ".join(filter(None, (one.email for one in people)))
    group, attempt = (origin.group, origin.attempt) if origin else ("", "")
    texts = (
        neutralize_formula(escape_name_unambiguously(text)) if text else ""
        for text in (names, emails, group, attempt)
    )
    return (*texts, "yes" if origin and origin.marked_late else "")


def _format_row(
    report: ScoreReport,
    assignment: Assignment,
    submission_times: SubmissionTimes,
    origins: Mapping[str, SubmissionOrigin],
    path: str,
) -> list[str | int]:
    """Return a submission's cells, but for the first, those of its origin, and whether it counts."""
    points = {concept.name: concept.score for concept in report.concepts}
    submission_time, late, origin = (
        submission_times.find_submission_time(report.submission.id),
        report.lateness,
        origins.get(report.submission.id),
    )
    student = submission_time.student if submission_time else origin.student_or_group_identifier if origin else ""
    return [
        format_points(report.score),
        format_points(report.max_score),
        format_points(report.bonus.score),
        report.status.outcome,
        *(format_points(points.get(concept.name, 0.0)) for concept in assignment.concepts),
        report.grader_error_count,
        neutralize_formula(report.status.message),
        format_points(report.final.score),
        format_points(report.final.bonus),
        late.days_late if late else "",
        format_points(late.percent_off) if late else "",
        submission_time.handed_in.isoformat() if submission_time else "",
        format_name_for_gradebook(student) if student else "",
        format_name_for_gradebook(late.extension_of) if late and late.extension_of else "",
        report.kit_version,
        "yes" if report.status.provisional else "",
        neutralize_formula(report.fresh_look),
        report.assignment.version,
        format_name_for_gradebook(path) if path else "",
        format_points(report.decided.score) if report.decided else "",
        neutralize_formula("; ".join(list_decision_lines_for_staff(report))),
    ]
