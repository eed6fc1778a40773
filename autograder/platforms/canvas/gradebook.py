"""Write the scores of a class into the gradebook that Canvas exported, and a zip of feedback files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import PurePosixPath

from autograder.faults import CallerFault
from autograder.platforms.canvas.reader import FileNameReading, parse_possible_readings, try_parse_anonymous_name
from autograder.platforms.canvas.student_matching import CanvasStudent, CanvasStudentIndex, match_results_to_students
from autograder.platforms.common.export_files import is_safe_zip_path, make_zip
from autograder.platforms.common.export_points import rescale_points, round_to_hundredths, try_parse_number
from autograder.platforms.common.grade_column import GradeColumn, choose_grade_column
from autograder.platforms.common.manual_mark_protection import protect_manual_entries
from autograder.platforms.common.platform_model import (
    ClassResults,
    ExportChange,
    ExportOptions,
    ExportResult,
    SubmissionResult,
)
from autograder.reports import ScoreReport
from autograder.reports.html_report import render_published_page
from autograder.reports.report_model import filter_report_for_student
from autograder.reports.terminal_report import render_report_as_plain_text
from autograder.submissions.origin import SubmissionOrigin
from autograder.tables import EditableCsv
from autograder.text import escape_for_display, format_abbreviated_list

COMMA = re.compile(r"-?[0-9]+,[0-9]+")
"""A number with a decimal comma."""


def format_score(score: Decimal, *, uses_decimal_comma: bool = False) -> str:
    """Return a score as Canvas exports it: ``17.50``.

    >>> format_score(Decimal("17.5")), format_score(Decimal("1.005"), uses_decimal_comma=True)
    ('17.50', '1,01')
    """
    text = f"{round_to_hundredths(score):f}"
    return text.replace(".", ",") if uses_decimal_comma else text


TITLE = re.compile(r"(?P<title>.*)\((?P<id>[0-9]+)\)", re.S)
EXPORT = "export it in Canvas: Grades, Export, Export Entire Gradebook"


class CanvasGradebook:
    """An exported gradebook: its students, and where their scores stand."""

    def __init__(self, file_content: bytes, file_name: str) -> None:
        """Read a gradebook.

        Raises:
            CallerFault: the file is not a gradebook, or some program has changed its ids.
        """
        self.sheet = EditableCsv(file_content, file_name)
        self.name = file_name
        self._rows = rows = self.sheet.rows
        self.header = [cell.strip() for cell in rows[0].cells]
        if not {"ID", "Section"} <= set(self.header) or not {"Student", "LastName"} & set(self.header[:1]):
            raise CallerFault("this file is not a gradebook exported from Canvas", file_name, EXPORT)
        self.first = self.header.index("Section") + 1
        """The first column that is not about the student."""
        points_rows = [index for index, row in enumerate(rows) if "Points Possible" in row.cells[0]]
        if not points_rows:
            raise CallerFault("the gradebook has no row 'Points Possible'", file_name, EXPORT)
        self.points_row = points_rows[0]
        self.students: dict[int, CanvasStudent] = {}
        """By row."""
        for index, row in enumerate(rows):
            if index > self.points_row and any(cell.strip() for cell in row.cells):
                self.students[index] = self._make_student(row.cells, row.line)

    def get_original_cell(self, row_index: int, column_index: int) -> str:
        """Return what a cell held in the file."""
        cells = self._rows[row_index].cells
        return cells[column_index].strip() if column_index < len(cells) else ""

    @property
    def writable_grade_columns(self) -> list[GradeColumn]:
        """Return the columns of assignments that may be written."""
        return [
            _make_grade_column(column_index, self.header[column_index])
            for column_index in range(self.first, len(self.header))
            if self._is_writable_assignment(column_index)
        ]

    def find_points_possible(self, column_index: int) -> Decimal | None:
        """Return the full marks of a column; None where it has none."""
        return try_parse_number(self.get_original_cell(self.points_row, column_index))

    def _is_writable_assignment(self, column_index: int) -> bool:
        """Return whether a column is an assignment's that may be written: it has points, or an id in its title."""
        points = self.get_original_cell(self.points_row, column_index)
        return try_parse_number(points) is not None or (
            not points and bool(TITLE.fullmatch(self.header[column_index]))
        )

    def uses_decimal_comma(self, column_index: int) -> bool:
        """Return whether the file writes a column's numbers with a decimal comma."""
        return COMMA.fullmatch(self.get_original_cell(self.points_row, column_index)) is not None

    def _make_student(self, cells: Sequence[str], line: int) -> CanvasStudent:
        cell_by_title = dict(zip(self.header[: self.first], (cell.strip() for cell in cells), strict=False))
        id_ = cell_by_title.get("ID", "")
        if not re.fullmatch("[0-9]+", id_):
            advice = "export it again and do not open it; a spreadsheet program may have changed the file"
            raise CallerFault(
                f"the student's ID '{escape_for_display(id_, 40)}' is not a number",
                f"{self.name}, line {line}",
                advice,
            )
        name = (
            cell_by_title.get("Student")
            or f"{cell_by_title.get('LastName', '')}, {cell_by_title.get('FirstName', '')}"
        )
        return CanvasStudent(id_, name, cell_by_title.get("SIS User ID", ""), cell_by_title.get("SIS Login ID", ""))


def _make_grade_column(index: int, title: str) -> GradeColumn:
    match = TITLE.fullmatch(title)
    return GradeColumn(index, title, (match["title"].strip(),), match["id"]) if match else GradeColumn(index, title)


FEEDBACK = "feedback.zip"
WHICH_STUDENTS = ("changed", "all", "none")
ENDINGS = (".py", ".ipynb", ".html", ".zip")
"""Suffixes in order of preference. Canvas keeps the name of the student's file, so the content has to fit it."""
DUPLICATE_COMMENT_NOTE = f"Canvas adds a comment for each file in {FEEDBACK} at every upload: upload it only once"
TYPED_TEXT_NOTE = (
    "no feedback file for {}: Canvas takes none for typed text, and a zip cannot store every name; see report --pages"
)


def _make_feedback_zip(
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


FILE_NAME = "canvas_gradebook.csv"
KEPT_SCORES = {"EX": "excused; left unchanged", "N/A": "not given this assignment; left unchanged"}
LATENESS_NOTE = (
    "points for lateness are already taken off; a late policy in Canvas would take them off again: "
    "switch it off for this assignment, or `late` in grading.yml"
)


def make_class_export(results: ClassResults, options: ExportOptions) -> ExportResult:
    """Make the gradebook with only those rows whose score changes, and the feedback of their submissions.

    Args:
        results: the class.
        options: holds the exported gradebook; among its settings, ``column`` is the assignment's id or title, and
            ``feedback`` says for whom there is feedback.

    Raises:
        CallerFault: there is no gradebook, or it cannot be used.
    """
    if options.sheet is None:
        raise CallerFault("the gradebook exported from Canvas is missing", "--gradebook", EXPORT)
    book = CanvasGradebook(options.sheet, options.sheet_name or "the gradebook")
    grade_column = choose_grade_column(
        book.writable_grade_columns, options.settings.get("column", ""), results, book.name
    )
    column, place_key = grade_column.index, grade_column.id or grade_column.title
    points_possible = require_points_possible(
        book.find_points_possible(column), options, results, column_description=f"{book.name}, {book.header[column]}"
    )
    result_by_student_id, unmatched = match_results_to_students(
        results.rows, CanvasStudentIndex(book.students.values())
    )
    changes, changed_rows, students_without_result = [], [], []
    for row, student in book.students.items():
        old_score = book.get_original_cell(row, column)
        if student.id not in result_by_student_id:
            if old_score.upper() not in KEPT_SCORES and not student.is_test_student:
                students_without_result.append(student.label)
            continue
        result = result_by_student_id[student.id]
        points = rescale_points(result.points, results.max_points, points_possible)
        change = plan_score_change(
            student, old_score, format_score(points, uses_decimal_comma=book.uses_decimal_comma(column))
        )
        change = protect_manual_entries(replace(change, place=place_key, submission=result.name), options)
        changes.append(change)
        if change.has_new_value:
            book.sheet.set_cell(row, column, change.after)
            changed_rows.append(row)
    content = book.sheet.encode_selected_cells([0, book.points_row, *changed_rows], [*range(book.first), column])
    changed_submissions = {result_by_student_id[book.students[row].id].name for row in changed_rows}
    feedback, notes = _make_feedback_zip(
        results, changed_submissions, options.get_choice_setting("feedback", *WHICH_STUDENTS)
    )
    return ExportResult(
        files={FILE_NAME: content} | ({FEEDBACK: feedback} if feedback else {}),
        changes=tuple(changes),
        unmatched=tuple(unmatched),
        missing=tuple(students_without_result),
        notes=(*notes, *list_late_policy_warnings(results)),
    )


def require_points_possible(
    canvas_points_possible: Decimal | None, options: ExportOptions, results: ClassResults, column_description: str
) -> Decimal:
    """Return the points that Canvas gives for the assignment, or ``--max-score`` where it does not say.

    Raises:
        CallerFault: neither says it, or the class's own full marks are 0.
    """
    points_possible = canvas_points_possible if canvas_points_possible else Decimal(repr(options.max_points or 0.0))
    if points_possible <= 0 or results.max_points <= 0:
        raise CallerFault(
            "the assignment is worth no points", column_description, "give it points in Canvas, or say --max-score"
        )
    return points_possible


def plan_score_change(student: CanvasStudent, old_score: str, new_score: str) -> ExportChange:
    """Return the change of a score; a score that is left alone has a note that says why."""
    score = try_parse_number(old_score)
    note = (
        "Canvas's test student; left unchanged" if student.is_test_student else KEPT_SCORES.get(old_score.upper(), "")
    )
    if not note and score is None and old_score not in ("", "-"):
        note = "the cell holds no points; left unchanged"
    if note:
        return ExportChange(student.label, old_score, old_score, note, student.id)
    return ExportChange(student.label, "" if score is None else old_score, new_score, id=student.id)


def list_late_policy_warnings(results: ClassResults) -> list[str]:
    """Return warnings for a class in which points were taken off for lateness."""
    return (
        [LATENESS_NOTE]
        if any(row.report.lateness and row.report.lateness.percent_off for row in results.rows)
        else []
    )
