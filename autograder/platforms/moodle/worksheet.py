"""The offline grading worksheet: grades and comments are filled in, every other byte stays as Moodle wrote it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal

from autograder.faults import CallerFault
from autograder.platforms.model import Change, Export, Given, Result, Results
from autograder.platforms.moodle.columns import ADVICE, Columns, find_columns, participants
from autograder.platforms.moodle.decimals import points_of, written
from autograder.platforms.moodle.feedback import OURS, comment_of, pages_of
from autograder.platforms.moodle.matching import match
from autograder.platforms.moodle.students import Student, Students
from autograder.platforms.points import rescaled
from autograder.platforms.sheet import Sheet

REFUSED = frozenset({"no", "nein", "non", "não", "nee", "nej", "nei", "ei"})
"""What stands under "Grade can be changed" where it cannot."""
DAYS = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
READABLE = re.compile(DAYS + r", (?:\d{1,2} [A-Z][a-z]+|[A-Z][a-z]+ \d{1,2},) \d{4}, .*")
"""Dates as Moodle writes them in English. It reads them back with PHP's strtotime, which knows no other language."""


@dataclass
class _Filling:
    """A worksheet on the way."""

    sheet: Sheet
    columns: Columns
    given: Given
    replaces: bool
    """Whether comments of others are written over, too."""
    changes: list[Change] = field(default_factory=list)
    capped: int = 0
    stale: int = 0
    kept: int = 0


def write_class(results: Results, given: Given) -> Export:
    """The worksheet, filled in, and a zip of pages for students.

    Raises:
        CallerFault: there is no worksheet, or its columns cannot be told apart.
    """
    if given.sheet is None:
        raise CallerFault("needs the assignment's worksheet", "export moodle", f"--sheet FILE; {ADVICE}")
    sheet = Sheet(given.sheet, given.sheet_name or "worksheet")
    rows = participants(sheet)
    columns = find_columns(sheet, [row for _, row in rows], given.settings)
    students = Students(rows, sheet.rows[0].cells, columns)
    matches = match(students, results.rows, given.one_of("match", "name", "number") == "number")
    filling = _Filling(sheet, columns, given, given.one_of("comments", "keep", "replace") == "replace")
    for student, result in matches.found:
        _fill(filling, student, result, results.max_points)
    pages = pages_of((student, _name(student, result), result.report) for student, result in matches.found)
    return Export(
        {"worksheet.csv": bytes(sheet), "feedback.zip": pages},
        tuple(filling.changes),
        matches.unmatched,
        matches.missing,
        _notes(filling),
    )


def _fill(filling: _Filling, student: Student, result: Result, max_points: float) -> None:
    """Write one student's cells."""
    columns, cells = filling.columns, student.row.cells
    before = cells[columns.grade]
    maximum = _full_marks(filling, student)
    grade = rescaled(result.points, max_points, maximum)
    filling.capped += grade > maximum
    grade = min(grade, maximum)
    mark = "," if _has_comma(columns, cells) else "."
    text = written(grade, mark)
    if any(cells[place].strip().casefold() in REFUSED for place in _flags(columns)):
        filling.changes.append(Change(student.label, before, before, "Moodle says that this grade cannot be changed"))
        return
    same = points_of(before) == grade
    if not same:
        filling.sheet.put(student.place, columns.grade, text)
    filling.changes.append(Change(student.label, before, before if same else text))
    new = _comment(filling, student, comment_of(result.report, text, written(maximum, mark)))
    filling.stale += (new or not same) and _is_stale(before, cells[columns.graded] if columns.graded else "")


def _is_stale(grade: str, since: str) -> bool:
    """Whether Moodle, which has something of this student's already, would take the row for outdated."""
    return bool(grade.strip() or since.strip(" -")) and not READABLE.fullmatch(since)


def _comment(filling: _Filling, student: Student, comment: str) -> bool:
    """Write the comment, unless it stands there or somebody else wrote another; whether it was written."""
    place = filling.columns.comment
    if place is None:
        return False
    before = student.row.cells[place]
    others = before.strip() and not before.lstrip().startswith(OURS.strip())
    if others and not filling.replaces:
        filling.kept += 1
        return False
    if before != comment:
        filling.sheet.put(student.place, place, comment)
    return before != comment


def _full_marks(filling: _Filling, student: Student) -> Decimal:
    """Full marks of a row: its own, or what the caller says."""
    place, own = filling.columns.maximum, None
    if place is not None:
        own = points_of(student.row.cells[place])
    elif filling.given.max_points is not None:
        own = Decimal(str(filling.given.max_points))
    if not own:
        raise CallerFault("does not say what full marks are", filling.sheet.name, "say it with --max-score")
    return own


def _has_comma(columns: Columns, cells: tuple[str, ...]) -> bool:
    """Whether Moodle reads a comma: full marks say so, which nobody typed; without decimals in them, a grade."""
    full = cells[columns.maximum] if columns.maximum is not None else ""
    return "," in (full if re.search("[.,]", full) else cells[columns.grade])


def _flags(columns: Columns) -> list[int]:
    """Where "Grade can be changed" may stand: behind full marks, or one further with a state of marking."""
    if columns.maximum is None:
        return []
    return [place for place in (columns.maximum + 1, columns.maximum + 2) if place < columns.width]


def _name(student: Student, result: Result) -> str:
    """The name in the zip: as in the download, where it is of this participant."""
    people = result.origin.people if result.origin else ()
    own = [one.name for one in people if one.id == student.number]
    return (own or [student.name or student.word])[0]


def _notes(filling: _Filling) -> tuple[str, ...]:
    notes = []
    if filling.capped:
        notes.append(f"{filling.capped} had more than full marks: full marks are written, Moodle skips what is above")
    if filling.stale:
        notes.append(
            f"{filling.stale} were marked before, and the worksheet does not say when in a way that Moodle reads: "
            'tick "Allow updating records that have been modified more recently in Moodle than in the spreadsheet"'
        )
    if filling.kept:
        notes.append(
            f"{filling.kept} had a comment of somebody's, which stays; --set comments=replace writes over it"
        )
    if filling.columns.comment is None:
        notes.append("the worksheet has no column for comments: turn on Feedback comments, or --set feedback_column")
    return tuple(notes)
