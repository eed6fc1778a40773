"""Write the table of a batch: one row per submission, and which of a student's submissions counts."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from autograder.course import Assignment
from autograder.lateness import SubmissionTimes, select_counting_submissions
from autograder.reports import ScoreReport
from autograder.reports.report_files import write_file_atomically
from autograder.reports.report_text import format_points
from autograder.safe_text import clean_name
from autograder.submissions import SubmissionOrigin

FORMULA = re.compile(r"(^|[;\t\r\n])(?=[\s'\"]*[=+\-@＝＋－＠])")
"""Where a spreadsheet could see a formula begin: at the start, and where it parts cells, which in half of Europe is
at semicolons. Signs of full width count in Asia."""

FIRST = ("submission", "score", "max_score", "bonus", "status")
LAST = (
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
    "counts",
)
FROM_A_PLATFORM = ("name", "email", "group", "attempt", "marked_late")
"""What else is known of a class that came from a platform, or has a roster."""


def write_gradebook(
    reports: Iterable[ScoreReport],
    assignment: Assignment,
    path: Path,
    submission_times: SubmissionTimes | None = None,
    origins: Mapping[str, SubmissionOrigin] | None = None,
) -> None:
    """Write ``gradebook.csv``: points in all, per concept, what a person should look at, and what counts in the end.

    Args:
        reports: one per submission, with lateness where it is known; read one at a time and not kept.
        assignment: gives the columns, and says which of several attempts counts.
        path: where to write.
        submission_times: whose submissions they are, where that is known.
        origins: where they came from, by submission, where that is known.

    Raises:
        CallerFault: the file cannot be written.
    """
    submission_times, origins = submission_times or SubmissionTimes(), origins or {}
    rows = io.StringIO(newline="")
    writer = csv.writer(rows)
    totals: dict[str, float] = {}
    for report in reports:
        writer.writerow([report.submission.id, *_row(report, assignment, submission_times, origins)])
        totals[report.submission.id] = report.final.score + report.final.bonus
    count = select_counting_submissions(totals.items(), submission_times, assignment.due.attempts)
    concepts = [concept.name for concept in assignment.concepts]
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([*FIRST, *concepts, *LAST, *(FROM_A_PLATFORM if origins else ())])
    rows.seek(0)
    for submission, *cells in csv.reader(rows):
        origin = _origin(origins.get(submission)) if origins else ()
        writer.writerow([neutralize_formula(submission), *cells, "yes" if submission in count else "no", *origin])
    write_file_atomically(path, text.getvalue().encode())


def _origin(origin: SubmissionOrigin | None) -> tuple[str, ...]:
    """Return what is known of where a submission came from, in the columns of ``FROM_A_PLATFORM``."""
    people = origin.people if origin else ()
    names, emails = " + ".join(one.name for one in people), " + ".join(filter(None, (one.email for one in people)))
    group, attempt = (origin.group, origin.attempt) if origin else ("", "")
    texts = (neutralize_formula(clean_name(text)) if text else "" for text in (names, emails, group, attempt))
    return (*texts, "yes" if origin and origin.marked_late else "")


def _row(
    report: ScoreReport,
    assignment: Assignment,
    submission_times: SubmissionTimes,
    origins: Mapping[str, SubmissionOrigin],
) -> list[str | int]:
    """Return a submission's cells, but for the first, those of its origin, and whether it counts."""
    points = {concept.name: concept.score for concept in report.concepts}
    hand_in, late, origin = (
        submission_times.find(report.submission.id),
        report.lateness,
        origins.get(report.submission.id),
    )
    student = hand_in.student if hand_in else origin.student_name if origin else ""
    return [
        format_points(report.score),
        format_points(report.max_score),
        format_points(report.bonus.score),
        report.status.outcome,
        *(format_points(points.get(concept.name, 0.0)) for concept in assignment.concepts),
        sum(test.outcome == "grader error" for test in report.tests),
        neutralize_formula(report.status.message),
        format_points(report.final.score),
        format_points(report.final.bonus),
        late.days_late if late else "",
        format_points(late.percent_off) if late else "",
        hand_in.handed_in.isoformat() if hand_in else "",
        neutralize_formula(clean_name(student)) if student else "",
        neutralize_formula(clean_name(late.extension_of)) if late and late.extension_of else "",
        report.kit_version,
        "yes" if report.status.provisional else "",
    ]


def neutralize_formula(text: str) -> str:
    """Make a text one that a spreadsheet shows and never computes; two texts that differ stay different."""
    return FORMULA.sub(r"\1'", text)
