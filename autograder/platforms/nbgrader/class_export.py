"""Make the files of a class for nbgrader: ``grades.csv`` like ``nbgrader export``'s, and a ``feedback`` folder.

nbgrader writes no quotation marks: a comma in a name makes a line longer. So lines are read from both ends, and no
comma is written into a cell: a spreadsheet would give 20 points to a student called ``A,B,c,20,0,20,20``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC
from math import isfinite, nan
from pathlib import PurePosixPath

from msgspec import structs

from autograder.faults import CallerFault
from autograder.platforms.common.export_points import compute_counted_points, rescale_points
from autograder.platforms.common.manual_mark_protection import protect_manual_entries
from autograder.platforms.common.platform_model import (
    ClassResults,
    ExportChange,
    ExportOptions,
    ExportResult,
    SubmissionResult,
)
from autograder.platforms.nbgrader.reader import NAME
from autograder.reports.html_report import render_published_page
from autograder.submissions.origin import Person
from autograder.submissions.safe_paths import UnusablePath, require_safe_inner_path
from autograder.text import escape_for_display, escape_name_unambiguously, neutralize_formula

HEADER = (
    "assignment,duedate,timestamp,student_id,last_name,first_name,email,"
    "raw_score,late_submission_penalty,score,max_score"
)
LEADING, TRAILING = 4, 5
"""Cells before and after the names, in which a comma may stand."""
BREAKS = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
IDS = ("student_id", "id", "login", "username")


def _make_student_line(result: SubmissionResult, student: str, assignment: str, options: ExportOptions) -> str:
    """Return a student's line as ``nbgrader export`` writes it, without a mark."""
    roster_row = next((row for row in result.people if student in row.values()), {})
    person = next(
        (person for person in _iterate_people_with_guessed_id(result) if person.id == student), Person(student)
    )
    submission_time = result.origin.handed_in if result.origin else None
    timestamp = (
        str(submission_time.astimezone(UTC).replace(tzinfo=None))
        if submission_time and submission_time.tzinfo
        else ""
    )
    family_part, comma, given_part = person.name.rpartition(", ")
    last_name = _get_cell(roster_row, "last_name") or (family_part if comma else person.name)
    first_name = _get_cell(roster_row, "first_name") or (given_part if comma else "")
    email = _get_cell(roster_row, "email") or person.email
    due_date = options.settings.get("duedate", "")
    # a student whose id has a comma is none of nbgrader's
    texts = [_format_cell(cell) for cell in (assignment, due_date, timestamp, student)]
    names = [_format_name_cell(cell) for cell in (last_name, first_name, "" if "," in email else email)]
    return ",".join([*texts, *names, "", "", "", "0.0"])


def _compute_points(
    result: SubmissionResult, results: ClassResults, options: ExportOptions, max_points: float
) -> tuple[float, float, float, float]:
    """Return the points before lateness, the points that it took off, the points left, and full marks."""
    report = result.report
    in_time = structs.replace(report.final, score=report.score, bonus=report.bonus.score)
    points_before = compute_counted_points(structs.replace(report, final=in_time), options.settings.get("bonus", ""))
    points_pair = (max(points_before, result.points), result.points)
    raw_score, score = (float(rescale_points(points, results.max_points, max_points)) for points in points_pair)
    return raw_score, round(raw_score - score, 2), score, float(max_points)


def _read_grades_table_lines(table_content: bytes, table_name: str) -> list[str]:
    """Return the lines of nbgrader's table without their line feeds, the header first.

    Raises:
        CallerFault: it is no such table.
    """
    try:
        lines = table_content.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise CallerFault("the table is not UTF-8 text", table_name, "make it again with nbgrader export") from error
    if lines[0].rstrip("\r") != HEADER:
        raise CallerFault(
            "the header is not that of nbgrader's table", f"{table_name}:1", "make it with nbgrader export"
        )
    return lines


def _fill_grades_table(
    table_lines: Sequence[str],
    table_name: str,
    result_by_student_id: Mapping[str, SubmissionResult],
    results: ClassResults,
    options: ExportOptions,
) -> tuple[bytes, list[ExportChange], set[str]]:
    """Put these students' numbers into nbgrader's table; return it, the changes, and the ids with rows in it.

    ``table_lines`` come from ``_read_grades_table_lines``.

    Raises:
        CallerFault: a row is malformed, or the table has no row of this assignment.
    """
    header, *lines = table_lines
    assignment_names = {
        _format_cell(_choose_assignment_name(result, results, options)) for result in result_by_student_id.values()
    }
    changes, student_ids = [], set()
    for number, line in enumerate(lines, start=2):
        cells = line.rstrip("\r").split(",")
        if cells == [""]:
            continue
        if len(cells) < LEADING + TRAILING + 2:
            raise CallerFault(
                "the row has too few cells", f"{table_name}:{number}", "make it again with nbgrader export"
            )
        assignment, student = cells[0], cells[3]
        if assignment not in assignment_names:
            continue
        student_ids.add(student)
        if result := result_by_student_id.get(student):
            max_score = (
                _parse_max_score(cells[-1], f"{table_name}:{number}") or options.max_points or results.max_points
            )
            new_cells = [str(points) for points in _compute_points(result, results, options, max_score)]
            # nbgrader writes 0.0 for no mark, too
            is_empty = cells[-4:] != new_cells and {cell.strip() for cell in cells[-4:-1]} <= {"", "0", "0.0"}
            old_score = "" if is_empty else cells[-2]
            change = ExportChange(
                escape_name_unambiguously(student),
                old_score,
                new_cells[2],
                id=student,
                place=assignment,
                submission=result.name,
            )
            changes.append(protect_manual_entries(change, options))
            if cells[-4:] != new_cells and not changes[-1].wanted:
                lines[number - 2] = ",".join([*cells[:-4], *new_cells]) + ("\r" if line.endswith("\r") else "")
    if not student_ids and options.sheet is not None:
        raise CallerFault(
            "the table has no row of this assignment",
            table_name,
            "say its name in nbgrader with --set assignment=NAME",
        )
    return "\n".join([header, *lines]).encode("utf-8", "surrogateescape"), changes, student_ids


def _iterate_people_with_guessed_id(result: SubmissionResult) -> Iterator[Person]:
    """Yield whose result it is, with nbgrader's id: by the download, the course's list or the submission's name."""
    origin = result.origin
    if origin and origin.platform == NAME and origin.people:
        yield from origin.people
    elif result.people:
        for row in result.people:
            yield Person(next((value for key in IDS if (value := _get_cell(row, key))), next(iter(row.values()))))
    elif origin and origin.people:
        for person in origin.people:
            yield Person(person.login or person.id, person.name, person.email, person.login)
    else:
        yield Person(result.name)


def _choose_assignment_name(result: SubmissionResult, results: ClassResults, options: ExportOptions) -> str:
    """Return the assignment's name in nbgrader: the caller's, or else the download's, or else the results' own."""
    name = options.settings.get("assignment", "")
    if not name and result.origin and result.origin.platform == NAME and result.origin.names:
        name = PurePosixPath(result.origin.names[0]).name
    return name or results.assignment


def _get_cell(row: Mapping[str, str], name: str) -> str:
    cells_by_name = {key.strip().casefold().replace(" ", "_"): cell.strip() for key, cell in row.items()}
    return cells_by_name.get(name, "")


def _format_cell(text: str) -> str:
    return BREAKS.sub(" ", text.replace(",", " "))


def _format_name_cell(text: str) -> str:
    """Return a name for a cell that nbgrader finds nobody by: a spreadsheet neither computes nor hides any of it."""
    return neutralize_formula(escape_for_display(_format_cell(text)))


def _parse_max_score(cell: str, location: str) -> float:
    try:
        number = float(cell)
    except ValueError:
        number = nan
    if not isfinite(number):
        raise CallerFault(
            f"max_score is not a number: '{escape_for_display(cell, 40)}'",
            location,
            "make it again with nbgrader export",
        )
    return number


def make_class_export(results: ClassResults, options: ExportOptions) -> ExportResult:
    """Make ``grades.csv``, and ``feedback/<student>/<assignment>/<notebook>.html`` for each submission.

    If the table that nbgrader exported is given, the numbers go into this assignment's rows there; every other byte
    of it stays.
    """
    counted_results = [result for result in results.rows if result.attempt_counts]
    unmatched: list[str] = []
    result_by_student: dict[str, SubmissionResult] = {}
    for result in counted_results:
        for person in _iterate_people_with_guessed_id(result):
            if not person.id or _format_cell(person.id) != person.id or person.id in result_by_student:
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
    table_name = options.sheet_name or "the gradebook"
    if options.sheet is not None:
        table_lines = _read_grades_table_lines(options.sheet, table_name)
    else:
        lines = (
            _make_student_line(result, student, _choose_assignment_name(result, results, options), options)
            for student, result in result_by_student.items()
        )
        table_lines = [HEADER, *lines, ""]
    content, changes, students_in_table = _fill_grades_table(
        table_lines, table_name, result_by_student, results, options
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
    return ExportResult(
        {"grades.csv": content, **files},
        tuple(changes),
        tuple(unmatched),
        missing,
    )


def _iterate_feedback_pages(
    result_by_student: Mapping[str, SubmissionResult], results: ClassResults, options: ExportOptions
) -> Iterator[tuple[str, bytes]]:
    """Yield a page for each student, named as the notebook is, because nbgrader looks for that name."""
    for student, result in result_by_student.items():
        notebooks = [PurePosixPath(name) for name in result.report.submission.files if name.endswith(".ipynb")]
        page = notebooks[0].stem if len(notebooks) == 1 else "value"
        folder = f"feedback/{student}/{_choose_assignment_name(result, results, options)}"
        try:
            if "/" in student or len(require_safe_inner_path(f"{folder}/{page}.html").parts) != 4:
                continue
        except UnusablePath:
            continue
        yield f"{folder}/{page}.html", render_published_page(result.report)
