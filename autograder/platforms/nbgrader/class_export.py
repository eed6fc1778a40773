"""Make the files of a class for nbgrader: ``grades.csv`` like ``nbgrader export``'s, and a ``feedback`` folder."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from autograder.platforms.common.platform_model import (
    ClassResults,
    ExportOptions,
    ExportResult,
    SubmissionResult,
)
from autograder.platforms.nbgrader.existing_mark_detector import ExistingMarkDetector
from autograder.platforms.nbgrader.grades_table import (
    HEADER,
    choose_assignment_name,
    fill_grades_table,
    iterate_people_with_guessed_id,
    make_grade_line,
    read_grades_table_lines,
)
from autograder.reports.html_report import render_published_page
from autograder.safe_text import escape_for_display, escape_name_unambiguously
from autograder.submissions.safe_paths import UnusablePath, require_safe_inner_path


def make_class_export(results: ClassResults, options: ExportOptions) -> ExportResult:
    """Make ``grades.csv``, and ``feedback/<student>/<assignment>/<notebook>.html`` for each submission.

    If the table that nbgrader exported is given, the numbers go into this assignment's rows there; every other byte
    of it stays. Marks that stand in nbgrader's database beside the submissions are known, too.
    """
    counted_results = [result for result in results.rows if result.attempt_counts]
    unmatched: list[str] = []
    result_by_student: dict[str, SubmissionResult] = {}
    for result in counted_results:
        for person in iterate_people_with_guessed_id(result):
            if not person.id or re.search(r"[,\r\n]", person.id) or person.id in result_by_student:
                problem = (
                    "has another result already"
                    if person.id in result_by_student
                    else "is not a student_id of nbgrader"
                )
                unmatched.append(
                    f"{escape_name_unambiguously(result.name)}: '{escape_for_display(person.id, 80)}' {problem}"
                )
            else:
                result_by_student[person.id] = result
    files = dict(_iterate_feedback_pages(result_by_student, results, options))
    if options.sheet is None:
        known_marks = ExistingMarkDetector(options)
        lines, changes = [HEADER], []
        for student, result in result_by_student.items():
            line, change = make_grade_line(result, student, results, options, known_marks)
            lines.append(line)
            changes.append(change)
        files["grades.csv"] = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
        return ExportResult(
            files,
            tuple(changes),
            tuple(unmatched),
            notes=known_marks.notes,
            knows_marks=known_marks.has_readable_database,
        )
    table_name = options.sheet_name or "the gradebook"
    table_lines = read_grades_table_lines(options.sheet, table_name)
    known_marks = ExistingMarkDetector(options, table_lines)
    content, changes, students_in_table = fill_grades_table(
        table_lines, table_name, result_by_student, results, options, known_marks
    )
    unmatched += [
        f"{escape_name_unambiguously(result.name)}: "
        f"{escape_name_unambiguously(student)} is not in {options.sheet_name}"
        for student, result in result_by_student.items()
        if student not in students_in_table
    ]
    missing = tuple(
        escape_name_unambiguously(student) for student in students_in_table if student not in result_by_student
    )
    all_files = {"grades.csv": content, **files}
    return ExportResult(all_files, tuple(changes), tuple(unmatched), missing, notes=known_marks.notes)


def _iterate_feedback_pages(
    result_by_student: Mapping[str, SubmissionResult], results: ClassResults, options: ExportOptions
) -> Iterator[tuple[str, bytes]]:
    """Yield a page for each student, named as the notebook is, because nbgrader looks for that name."""
    for student, result in result_by_student.items():
        notebooks = [PurePosixPath(name) for name in result.report.submission.files if name.endswith(".ipynb")]
        page = notebooks[0].stem if len(notebooks) == 1 else "value"
        folder = f"feedback/{student}/{choose_assignment_name(result, results, options)}"
        try:
            if "/" in student or len(require_safe_inner_path(f"{folder}/{page}.html").parts) != 4:
                continue
        except UnusablePath:
            continue
        yield f"{folder}/{page}.html", render_published_page(result.report)
