"""Make the zip for "Upload Submissions": a feedback file for each student, under the name that Canvas gave theirs."""

from __future__ import annotations

from pathlib import PurePosixPath

from autograder.english_wording import format_abbreviated_list
from autograder.platforms.canvas.download_file_names import (
    FileNameReading,
    parse_possible_readings,
    try_parse_anonymous_name,
)
from autograder.platforms.common.platform_model import ClassResults, SubmissionResult
from autograder.platforms.common.zip_packing import is_safe_zip_path, make_zip
from autograder.reports import ScoreReport
from autograder.reports.html_report import render_published_page
from autograder.reports.report_visibility import filter_report_for_student
from autograder.reports.terminal_report import render_report_as_plain_text
from autograder.submissions.origin import SubmissionOrigin

FEEDBACK = "feedback.zip"
WHICH_STUDENTS = ("changed", "all", "none")
ENDINGS = (".py", ".ipynb", ".html", ".zip")
"""Suffixes in order of preference. Canvas keeps the name of the student's file, so the content has to fit it."""
DUPLICATE_COMMENT_NOTE = f"Canvas adds a comment for each file in {FEEDBACK} at every upload: upload it only once"
TYPED_TEXT_NOTE = (
    "no feedback file for {}: Canvas takes none for typed text, and a zip cannot store every name; see report --pages"
)


def make_feedback_zip(
    results: ClassResults, changed_submission_names: set[str], which_students: str
) -> tuple[bytes, list[str]]:
    """Make the zip, and notes about it; the zip is empty if no student is to get feedback.

    Args:
        results: the class.
        changed_submission_names: the submissions whose score changes.
        which_students: one of ``WHICH_STUDENTS``; hidden submissions, which have no score in a table, get feedback
            with either of the first two.
    """
    selected_rows = [row for row in results.rows if _is_selected(row, changed_submission_names, which_students)]
    targets = {row.name: (_find_submitted_file(row.origin), row) for row in selected_rows if row.origin}
    files = {
        file_name: encode_feedback_file(file_name, row.report) for file_name, row in targets.values() if file_name
    }
    submissions_without_file = [row.name for file_name, row in targets.values() if not file_name]
    notes = [DUPLICATE_COMMENT_NOTE] if files else []
    return make_zip(files) if files else b"", [
        *notes,
        *(
            [TYPED_TEXT_NOTE.format(format_abbreviated_list(submissions_without_file))]
            if submissions_without_file
            else []
        ),
    ]


def encode_feedback_file(file_name: str, report: ScoreReport) -> bytes:
    """Make a student's feedback as a file of the kind that a name promises."""
    suffix = PurePosixPath(file_name).suffix.lower()
    if suffix == ".zip":
        return make_zip({"feedback.html": render_published_page(report)})
    if suffix in (".html", ".htm"):
        return render_published_page(report)
    lines = render_report_as_plain_text(filter_report_for_student(report, "published")).split("\n")
    if suffix == ".py":
        return "".join(f"# {line}".rstrip() + "\n" for line in lines).encode()
    if suffix == ".ipynb":
        import nbformat  # slow, and most classes hand in no notebook

        cell = nbformat.v4.new_raw_cell("\n".join(lines), id="feedback")
        return str(nbformat.writes(nbformat.v4.new_notebook(cells=[cell]))).encode()
    return "".join(f"{line}\n" for line in lines).encode()


def _is_selected(row: SubmissionResult, changed_submission_names: set[str], which_students: str) -> bool:
    if not row.attempt_counts or not row.origin or row.origin.platform != "canvas" or which_students == "none":
        return False
    return which_students == "all" or row.name in changed_submission_names or not row.origin.people


def _find_submitted_file(origin: SubmissionOrigin) -> str:
    """Return the student's file that the feedback takes the place of; empty if Canvas knows none by an id."""
    usable_names = [
        name
        for name in origin.names
        if (reading := _parse_first_reading(name, origin)) and reading.attachment_id and is_safe_zip_path(name)
    ]

    def rank(name: str) -> int:
        suffix = PurePosixPath(name).suffix.lower()
        return ENDINGS.index(suffix) if suffix in ENDINGS else len(ENDINGS)

    return min(usable_names, key=rank, default="")


def _parse_first_reading(name: str, origin: SubmissionOrigin) -> FileNameReading | None:
    return next(iter(parse_possible_readings(name)), None) if origin.people else try_parse_anonymous_name(name)
