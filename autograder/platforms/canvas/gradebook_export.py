"""Write the scores of a class into the gradebook that Canvas exported: only what changes."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from autograder.faults import CallerFault
from autograder.platforms.canvas.feedback_zip import FEEDBACK, WHICH_STUDENTS, make_feedback_zip
from autograder.platforms.canvas.gradebook_reader import EXPORT, CanvasGradebook
from autograder.platforms.canvas.number_format import format_score, try_parse_number
from autograder.platforms.canvas.student_matching import (
    CanvasStudent,
    CanvasStudentIndex,
    match_results_to_students,
)
from autograder.platforms.common.export_points import rescale_points, round_to_hundredths
from autograder.platforms.common.grade_column import choose_grade_column
from autograder.platforms.common.manual_mark_protection import protect_manual_entries
from autograder.platforms.common.platform_model import ClassResults, ExportChange, ExportOptions, ExportResult

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
    feedback, notes = make_feedback_zip(
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
    """Return the change of a score: written, already equal, or left alone with a note that says why."""
    score = try_parse_number(old_score)
    note = (
        "Canvas's test student; left unchanged" if student.is_test_student else KEPT_SCORES.get(old_score.upper(), "")
    )
    if not note and score is None and old_score not in ("", "-"):
        note = "the cell holds no points; left unchanged"
    if note:
        return ExportChange(student.label, old_score, old_score, note, student.id)
    is_same_score = score is not None and round_to_hundredths(score) == try_parse_number(new_score)
    return ExportChange(
        student.label, "" if score is None else old_score, old_score if is_same_score else new_score, id=student.id
    )


def list_late_policy_warnings(results: ClassResults) -> list[str]:
    """Return warnings for a class in which points were taken off for lateness."""
    return (
        [LATENESS_NOTE]
        if any(row.report.lateness and row.report.lateness.percent_off for row in results.rows)
        else []
    )
