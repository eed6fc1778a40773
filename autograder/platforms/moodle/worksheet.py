"""Fill in grades and comments in the offline grading worksheet; every other byte stays as Moodle wrote it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from decimal import Decimal

from autograder.faults import CallerFault
from autograder.platforms.decisions import ALL, is_same, settled
from autograder.platforms.model import Change, Export, Given, Result, Results
from autograder.platforms.moodle.columns import ADVICE, Columns, find_columns, participants
from autograder.platforms.moodle.decimals import points_of, written
from autograder.platforms.moodle.feedback import OURS, comment_of
from autograder.platforms.moodle.marked import date_rows, outdate
from autograder.platforms.moodle.matching import match
from autograder.platforms.moodle.notes import notes_of
from autograder.platforms.moodle.pages import pages_of
from autograder.platforms.moodle.students import Student, Students
from autograder.platforms.moodle.yes_no import is_no
from autograder.platforms.points import rescaled
from autograder.platforms.sheet import Sheet
from autograder.reports.words import of_which_bonus


@dataclass
class _Filling:
    """A worksheet on the way."""

    sheet: Sheet
    columns: Columns
    given: Given
    replaces: bool
    """Whether comments of others are written over, too."""
    changes: list[Change] = field(default_factory=list)
    comments: list[Change] = field(default_factory=list)
    left_out: set[int] = field(default_factory=set)
    """Rows that hold decisions of people, and nothing new: Moodle would take the formatting from their comments."""
    written: list[Student] = field(default_factory=list)
    """Whose rows Moodle is to take."""
    capped: int = 0
    kept: int = 0


def write_class(results: Results, given: Given) -> Export:
    """Fill in the worksheet, and pack a zip of pages for students.

    Raises:
        CallerFault: there is no worksheet, or its columns cannot be told apart.
    """
    if given.sheet is None:
        raise CallerFault("needs the assignment's worksheet", "export moodle", f"--sheet FILE; {ADVICE}")
    sheet = Sheet(given.sheet, given.sheet_name or "worksheet")
    rows = participants(sheet)
    columns = find_columns(sheet, [row for _, row in rows], given.settings)
    students = Students(rows, sheet.rows[0].cells, columns, (one.origin for one in results.rows))
    matches = match(students, results.rows, given.one_of("match", "name", "number") == "number")
    filling = _Filling(sheet, columns, given, given.one_of("comments", "keep", "replace") == "replace")
    for student, result in matches.found:
        _fill(filling, student, result, results.max_points)
    stale = date_rows(sheet, columns, students.all, filling.written, given.settings.get("timezone", ""))
    others = (one for one in students.all if one not in filling.written and _is_anothers(_comment_in(filling, one)))
    outdate(sheet, columns, others)
    pages = pages_of(students, matches.found, given.one_of("team_pages", "group", "member") == "member")
    return Export(
        {"worksheet.csv": sheet.without(filling.left_out), "feedback.zip": pages.packed},
        tuple(filling.changes),
        matches.unmatched,
        matches.missing,
        (*pages.notes, *notes_of(columns, students, filling.capped, filling.kept, stale)),
        tuple(filling.comments),
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
    if any(is_no(cells[place]) for place in columns.answers):
        filling.changes.append(Change(student.label, before, before, "Moodle says that this grade cannot be changed"))
        return
    same = points_of(before) == grade
    change = _settled(filling, student, result, Change(student.label, before, before if same else text))
    filling.changes.append(change)
    if change.wanted:
        filling.left_out.add(student.place)
        return  # a comment of ours would speak of another mark
    if not same:
        filling.sheet.put(student.place, columns.grade, text)
    final = result.report.final
    core, bonus = (rescaled(points, max_points, maximum) for points in (final.score, final.bonus))
    of_which = of_which_bonus(result.report, min(grade - core, bonus)).replace(".", mark)
    new = _comment(filling, student, result, comment_of(result.report, text, written(maximum, mark), of_which))
    if new or not same:
        filling.written.append(student)


def _settled(filling: _Filling, student: Student, result: Result, change: Change) -> Change:
    """Return the change of a mark or comment as it may be made; a mark's date shows if one was imported since."""
    place = filling.columns.graded
    seen = student.row.cells[place].strip(" -") if place is not None else ""
    given = replace(filling.given, overwrite=frozenset({ALL})) if _replaces(filling, change) else filling.given
    return settled(replace(change, id=student.number, submission=result.name, seen=seen), given)


def _replaces(filling: _Filling, change: Change) -> bool:
    return filling.replaces and change.what == "comment"


def _comment(filling: _Filling, student: Student, result: Result, comment: str) -> bool:
    """Write the comment unless it stands there or a person wrote another; return whether it was written."""
    place = filling.columns.comment
    if place is None:
        return False
    before = _comment_in(filling, student)
    if is_same("comment", before, comment):
        return False
    change = _settled(filling, student, result, Change(student.label, before, comment, what="comment"))
    filling.comments.append(change)
    if change.wanted:
        filling.kept += 1
        if not filling.changes[-1].is_new:
            filling.left_out.add(student.place)
        return False
    filling.sheet.put(student.place, place, comment)
    return True


def _comment_in(filling: _Filling, student: Student) -> str:
    return student.row.cells[filling.columns.comment] if filling.columns.comment is not None else ""


def _is_anothers(comment: str) -> bool:
    """Return whether a person wrote the comment, and not the kit."""
    return bool(comment.strip()) and not comment.lstrip().startswith(OURS.strip())


def _full_marks(filling: _Filling, student: Student) -> Decimal:
    """Return full marks of a row: its own, or what the caller says."""
    place, own = filling.columns.maximum, None
    if place is not None:
        own = points_of(student.row.cells[place])
    elif filling.given.max_points is not None:
        own = Decimal(str(filling.given.max_points))
    if not own:
        raise CallerFault("does not say what full marks are", filling.sheet.name, "say it with --max-score")
    return own


def _has_comma(columns: Columns, cells: tuple[str, ...]) -> bool:
    """Return whether Moodle reads a comma: by full marks, which nobody types; by a grade if they lack decimals."""
    full = cells[columns.maximum] if columns.maximum is not None else ""
    return "," in (full if re.search("[.,]", full) else cells[columns.grade])
