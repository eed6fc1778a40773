"""Read and write nbgrader's table of grades, line by line.

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
from autograder.formula_cells import neutralize_formula
from autograder.platforms.common.export_points import compute_counted_points, rescale_points
from autograder.platforms.common.manual_mark_protection import hold_back_if_manual_decision
from autograder.platforms.common.platform_model import (
    ClassResults,
    ExportChange,
    ExportOptions,
    SubmissionResult,
)
from autograder.platforms.nbgrader.existing_mark_detector import ExistingMarkDetector
from autograder.platforms.nbgrader.reader import NAME
from autograder.safe_text import escape_for_display, escape_name_unambiguously
from autograder.submissions.origin import Person

HEADER = (
    "assignment,duedate,timestamp,student_id,last_name,first_name,email,"
    "raw_score,late_submission_penalty,score,max_score"
)
LEADING, TRAILING = 4, 5
"""Cells before and after the names, in which a comma may stand."""
BREAKS = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
IDS = ("student_id", "id", "login", "username")


def make_grade_line(
    result: SubmissionResult,
    student_id: str,
    results: ClassResults,
    options: ExportOptions,
    known_marks: ExistingMarkDetector,
) -> tuple[str, ExportChange]:
    """Return a student's line of a new table without its line end, and what it changes.

    Args:
        result: the student's result.
        student_id: nbgrader's id of the student.
        results: the class.
        options: holds what the kit wrote last.
        known_marks: those in nbgrader's database; one that a person decided stays.
    """
    assignment = choose_assignment_name(result, results, options)
    recorded = known_marks.read_database_marks_or_empty(assignment)
    maximum = recorded.max_points or options.max_points or results.max_points
    numbers = _compute_points(result, results, options, maximum)
    mark = recorded.mark_by_student.get(student_id)
    change = ExportChange(
        escape_name_unambiguously(student_id),
        str(mark.score_after_penalty) if mark else "",
        str(numbers[2]),
        id=student_id,
        place=assignment,
        submission=result.name,
    )
    change = hold_back_if_manual_decision(change, options)
    if mark and change.wanted:
        numbers = (mark.raw, mark.penalty, mark.score_after_penalty, float(maximum))
    return _format_student_line(result, student_id, assignment, options, numbers), change


def _format_student_line(
    result: SubmissionResult, student: str, assignment: str, options: ExportOptions, numbers: tuple[float, ...]
) -> str:
    listed = next((row for row in result.people if student in row.values()), {})
    person = next((one for one in iterate_people_with_guessed_id(result) if one.id == student), Person(student))
    when = result.origin.handed_in if result.origin else None
    moment = str(when.astimezone(UTC).replace(tzinfo=None)) if when and when.tzinfo else ""
    family, comma, given_name = person.name.rpartition(", ")
    last = _cell(listed, "last_name") or (family if comma else person.name)
    first = _cell(listed, "first_name") or (given_name if comma else "")
    email = _cell(listed, "email") or person.email
    due = options.settings.get("duedate", "")
    # a student whose id has a comma is none of nbgrader's
    texts = [_line(cell) for cell in (assignment, due, moment, student)]
    names = [_make_harmless(cell) for cell in (last, first, "" if "," in email else email)]
    return ",".join([*texts, *names, *map(str, numbers)])


def _compute_points(
    result: SubmissionResult, results: ClassResults, options: ExportOptions, maximum: float
) -> tuple[float, float, float, float]:
    """Return the points before lateness, the points that it took off, the points left, and full marks."""
    report = result.report
    in_time = structs.replace(report.final, score=report.score, bonus=report.bonus.score)
    before = compute_counted_points(structs.replace(report, final=in_time), options.settings.get("bonus", ""))
    both = (max(before, result.points), result.points)
    raw, score = (float(rescale_points(points, results.max_points, maximum)) for points in both)
    return raw, round(raw - score, 2), score, float(maximum)


def read_grades_table_lines(table_content: bytes, table_name: str) -> list[str]:
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


def fill_grades_table(
    table_lines: Sequence[str],
    table_name: str,
    result_by_student_id: Mapping[str, SubmissionResult],
    results: ClassResults,
    options: ExportOptions,
    known_marks: ExistingMarkDetector,
) -> tuple[bytes, list[ExportChange], set[str]]:
    """Put these students' numbers into nbgrader's table; return it, the changes, and the ids with rows in it.

    Args:
        table_lines: the table's lines, from ``read_grades_table_lines``.
        table_name: its name, for messages.
        result_by_student_id: the results, by nbgrader's id of the student.
        results: the class.
        options: holds what the kit wrote last.
        known_marks: tells a mark of 0 from none; made with the same lines.

    Raises:
        CallerFault: a row is malformed, or the table has no row of this assignment.
    """
    header, *lines = table_lines
    ours = {choose_assignment_name(result, results, options) for result in result_by_student_id.values()}
    changes, found = [], set()
    for number, line in enumerate(lines, start=2):
        cells = line.rstrip("\r").split(",")
        if cells == [""]:
            continue
        if len(cells) < LEADING + TRAILING + 2:
            raise CallerFault(
                "the row has too few cells", f"{table_name}:{number}", "make it again with nbgrader export"
            )
        assignment, student = cells[0], cells[3]
        if assignment not in ours:
            continue
        found.add(student)
        if result := result_by_student_id.get(student):
            maximum = _number(cells[-1], f"{table_name}:{number}") or options.max_points or results.max_points
            new = [str(one) for one in _compute_points(result, results, options, maximum)]
            is_graded = cells[-4:] == new or known_marks.has_mark(assignment, student, cells[-4:-1])
            before = cells[-2] if is_graded else ""  # nbgrader writes 0.0 for no mark, too
            change = ExportChange(
                escape_name_unambiguously(student),
                before,
                new[2],
                id=student,
                place=assignment,
                submission=result.name,
            )
            changes.append(hold_back_if_manual_decision(change, options))
            if cells[-4:] != new and not changes[-1].wanted:
                lines[number - 2] = ",".join([*cells[:-4], *new]) + ("\r" if line.endswith("\r") else "")
    if not found:
        raise CallerFault(
            "the table has no row of this assignment",
            table_name,
            "say its name in nbgrader with --set assignment=NAME",
        )
    return "\n".join([header, *lines]).encode(), changes, found


def iterate_people_with_guessed_id(result: SubmissionResult) -> Iterator[Person]:
    """Yield whose result it is, with nbgrader's id: by the download, the course's list or the submission's name."""
    origin = result.origin
    if origin and origin.platform == NAME and origin.people:
        yield from origin.people
    elif result.people:
        for row in result.people:
            yield Person(next((value for key in IDS if (value := _cell(row, key))), next(iter(row.values()))))
    elif origin and origin.people:
        for person in origin.people:
            yield Person(person.login or person.id, person.name, person.email, person.login)
    else:
        yield Person(result.name)


def choose_assignment_name(result: SubmissionResult, results: ClassResults, options: ExportOptions) -> str:
    """Return the assignment's name in nbgrader: the caller's, or else the download's, or else the results' own."""
    said = options.settings.get("assignment", "")
    if not said and result.origin and result.origin.platform == NAME and result.origin.names:
        said = PurePosixPath(result.origin.names[0]).name
    return said or results.assignment


def _cell(row: Mapping[str, str], name: str) -> str:
    found = {key.strip().casefold().replace(" ", "_"): cell.strip() for key, cell in row.items()}
    return found.get(name, "")


def _line(text: str) -> str:
    return BREAKS.sub(" ", text.replace(",", " "))


def _make_harmless(text: str) -> str:
    """Return a name for a cell that nbgrader finds nobody by: a spreadsheet neither computes nor hides any of it."""
    return neutralize_formula(escape_for_display(_line(text)))


def _number(cell: str, where: str) -> float:
    try:
        number = float(cell)
    except ValueError:
        number = nan
    if not isfinite(number):
        raise CallerFault(
            f"max_score is not a number: '{escape_for_display(cell, 40)}'",
            where,
            "make it again with nbgrader export",
        )
    return number
