"""Send the marks of a class as CSV, of one assignment or of all, for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from flask import Response
from flask.typing import ResponseReturnValue

from autograder.course import Assignment
from autograder.text import neutralize_formula
from autograder.web.class_pages import load_class_rows
from autograder.web.class_table import ClassTableRow
from autograder.web.listing import read_section_filter
from autograder.web.names import get_student_display_names
from autograder.web.request import Pages, Permission, current
from autograder.web.store.accounts import Enrolment
from autograder.web.wording import format_moment

pages = Pages("gradebook_pages", __name__)
PERSON = ("name", "login", "section", "team")
HIDDEN = "graded anonymously"


@pages.on_get("/class/<assignment_name>/gradebook.csv", Permission.EXPORT)
def send_gradebook(assignment_name: str) -> ResponseReturnValue:
    """Send a row for each student of a section or of all, with the attempt that counts; or for each pseudonym."""
    assignment = current.assignment(assignment_name)
    concepts = [concept.name for concept in assignment.concepts]
    header = [*PERSON, "points", "bonus", "out of", "before lateness", "late", "attempts", "counts", "handed in"]
    section = read_section_filter(assignment_name).chosen
    rows = [
        [*_describe_person(person), *_describe_mark(row, assignment, len(concepts))]
        for row in load_class_rows(assignment_name)
        for person in row.members
        if person.is_in_section(section)
    ]
    return _send_csv(f"{assignment_name}.csv", [*header, *concepts], sorted(rows))


@pages.on_get("/gradebook.csv", Permission.EXPORT)
def send_gradebook_of_course() -> ResponseReturnValue:
    """Send a row for each student of a section or of all, with the points of each assignment.

    There is nothing of an assignment that is graded anonymously.
    Names beside its marks would say whose pseudonyms they are.
    """
    members = current.store.roll.list_members(current.course_key)
    section = read_section_filter().chosen
    students = [one for one in members if one.role == "student" and one.is_in_section(section)]
    marks = {one.login: _describe_person(one) for one in students}
    header = [*PERSON]
    for assignment in current.course.assignments:
        is_hidden = get_student_display_names(assignment.name).are_hidden
        bonus = ", and a bonus" if any(concept.bonus for concept in assignment.concepts) else ""
        header.append(f"{assignment.title} ({HIDDEN if is_hidden else f'out of {assignment.max_score:g}{bonus}'})")
        totals = {
            member.login: f"{row.summary.total:g}"
            for row in ([] if is_hidden else load_class_rows(assignment.name))
            for member in row.members
            if row.summary and member.account
        }
        for login, cells in marks.items():
            cells.append(totals.get(login, ""))
    return _send_csv("gradebook.csv", header, sorted(marks.values()))


def _describe_person(person: Enrolment) -> list[str]:
    return [person.name, person.login, person.section, person.team]


def _describe_mark(row: ClassTableRow, assignment: Assignment, concept_count: int) -> list[str]:
    """Return the cells of a row after those on the person."""
    summary = row.summary
    if summary is None or row.counted is None:
        return ["", "", f"{assignment.max_score:g}", "", "", str(len(row.hand_ins)), "", "", *[""] * concept_count]
    return [
        f"{summary.points:g}",
        f"{summary.bonus:g}",
        f"{assignment.max_score:g}",
        f"{summary.score:g}",
        "yes" if summary.is_late else "",
        str(len(row.hand_ins)),
        row.counting_cell,
        format_moment(row.counted.handed_in, assignment.deadline_rules.default_zone),
        *[f"{points:g}" for points in summary.concepts],
    ]


def _send_csv(file_name: str, header: Iterable[str], rows: Iterable[Sequence[str]]) -> Response:
    """Return a CSV file with a byte order mark, as spreadsheets read it; no cell is a formula."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(map(neutralize_formula, header))
    writer.writerows([neutralize_formula(cell) for cell in row] for row in rows)
    response = Response("\ufeff" + text.getvalue(), mimetype="text/csv")
    response.headers.set("Content-Disposition", "attachment", filename=file_name)
    return response
