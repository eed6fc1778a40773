"""Write what nbgrader takes for a class: ``grades.csv`` like ``nbgrader export``'s, and a ``feedback`` folder."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from autograder.platforms.common.feedback_page import encode_feedback_page
from autograder.platforms.common.platform_model import (
    ClassExport,
    ClassResults,
    ExportOptions,
    GradeChange,
    StudentResult,
)
from autograder.platforms.nbgrader.grades_table import (
    HEADER,
    choose_assignment_name,
    fill_grades_table_with_changes,
    format_student_line,
    iterate_nbgrader_persons,
)
from autograder.safe_text import escape_for_display, escape_name_unambiguously
from autograder.submissions.safe_paths import UnusablePath, make_safe_inner_path


def make_class_export(results: ClassResults, options: ExportOptions) -> ClassExport:
    """Make ``grades.csv``, and ``feedback/<student>/<assignment>/<notebook>.html`` for each submission.

    If the table that nbgrader exported is given, the numbers go into this assignment's rows there; every other byte
    of it stays.
    """
    counting = [result for result in results.rows if result.attempt_counts]
    unmatched: list[str] = []
    students: dict[str, StudentResult] = {}
    for result in counting:
        for person in iterate_nbgrader_persons(result):
            if not person.id or re.search(r"[,\r\n]", person.id) or person.id in students:
                why = "has another result already" if person.id in students else "is no student_id of nbgrader's"
                unmatched.append(
                    f"{escape_name_unambiguously(result.name)}: '{escape_for_display(person.id, 80)}' {why}"
                )
            else:
                students[person.id] = result
    files = dict(_feedback(students, results, options))
    if options.sheet is None:
        rows = [format_student_line(result, student, results, options) for student, result in students.items()]
        table = "".join(f"{line}\n" for line in (HEADER, *rows))
        changes = [
            GradeChange(escape_name_unambiguously(one), "", row.split(",")[-2])
            for one, row in zip(students, rows, strict=True)
        ]
        files["grades.csv"] = table.encode("utf-8", "surrogateescape")
        return ClassExport(files, tuple(changes), tuple(unmatched))
    content, changes, found = fill_grades_table_with_changes(
        options.sheet, options.sheet_name or "the sheet", students, results, options
    )
    unmatched += [
        f"{escape_name_unambiguously(result.name)}: "
        f"{escape_name_unambiguously(student)} is not in {options.sheet_name}"
        for student, result in students.items()
        if student not in found
    ]
    missing = tuple(escape_name_unambiguously(student) for student in found if student not in students)
    return ClassExport({"grades.csv": content, **files}, tuple(changes), tuple(unmatched), missing)


def _feedback(
    students: Mapping[str, StudentResult], results: ClassResults, options: ExportOptions
) -> Iterator[tuple[str, bytes]]:
    """Yield a page for each student, named as the notebook is, because nbgrader looks for that name."""
    for student, result in students.items():
        notebooks = [PurePosixPath(name) for name in result.report.submission.files if name.endswith(".ipynb")]
        page = notebooks[0].stem if len(notebooks) == 1 else "value"
        folder = f"feedback/{student}/{choose_assignment_name(result, results, options)}"
        try:
            if "/" in student or len(make_safe_inner_path(f"{folder}/{page}.html").parts) != 4:
                continue
        except UnusablePath:
            continue
        yield f"{folder}/{page}.html", encode_feedback_page(result.report)
