"""Write the scores of a class into the gradebook that Canvas exported: only what changes."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from autograder.faults import CallerFault
from autograder.platforms.canvas.feedback import FEEDBACK, FOR, feedback_of
from autograder.platforms.canvas.points import number_of, written
from autograder.platforms.canvas.students import Student, Students, matched
from autograder.platforms.canvas.table import EXPORT, Gradebook
from autograder.platforms.column import chosen
from autograder.platforms.decisions import settled
from autograder.platforms.model import Change, Export, Given, Results
from autograder.platforms.points import hundredths, rescaled

FILE = "canvas_gradebook.csv"
KEPT = {"EX": "is excused; left alone", "N/A": "is not given this assignment; left alone"}
LATE = (
    "These points are less what lateness costs. If Canvas has a late policy of its own, it takes points off once "
    "more: switch it off for this assignment, or `late` in grading.yml"
)


def write_class(results: Results, given: Given) -> Export:
    """Make the gradebook with only those rows whose score changes, and the feedback of their submissions.

    Args:
        results: the class.
        given: holds the exported gradebook; among its settings, ``column`` is the assignment's id or title, and
            ``feedback`` says for whom there is feedback.

    Raises:
        CallerFault: there is no gradebook, or it cannot be used.
    """
    if given.sheet is None:
        raise CallerFault("is missing: the gradebook that Canvas exports", "--sheet", EXPORT)
    book = Gradebook(given.sheet, given.sheet_name or "the gradebook")
    found = chosen(book.columns, given.settings.get("column", ""), results, book.name)
    column, place = found.index, found.id or found.title
    possible = full_marks(book.possible(column), given, results, where=f"{book.name}, {book.header[column]}")
    graded, unmatched = matched(results.rows, Students(book.students.values()))
    changes, rows, missing = [], [], []
    for row, student in book.students.items():
        before = book.cell(row, column)
        if student.id not in graded:
            if before.upper() not in KEPT and not student.is_test:
                missing.append(student.label)
            continue
        result = graded[student.id]
        points = rescaled(result.points, results.max_points, possible)
        change = decided(student, before, written(points, book.comma(column)))
        change = settled(replace(change, place=place, submission=result.name), given)
        changes.append(change)
        if change.is_new:
            book.sheet.put(row, column, change.after)
            rows.append(row)
    content = book.sheet.cut([0, book.points_row, *rows], [*range(book.first), column])
    changed = {graded[book.students[row].id].name for row in rows}
    feedback, notes = feedback_of(results, changed, given.one_of("feedback", *FOR))
    return Export(
        files={FILE: content} | ({FEEDBACK: feedback} if feedback else {}),
        changes=tuple(changes),
        unmatched=tuple(unmatched),
        missing=tuple(missing),
        notes=(*notes, *late_note(results)),
    )


def full_marks(own: Decimal | None, given: Given, results: Results, where: str) -> Decimal:
    """Return the points that Canvas gives for the assignment, or ``--max-score`` where it does not say.

    Raises:
        CallerFault: neither says it, or the class's own full marks are 0.
    """
    possible = own if own else Decimal(repr(given.max_points or 0.0))
    if possible <= 0 or results.max_points <= 0:
        raise CallerFault("is worth no points", where, "give it points in Canvas, or say --max-score")
    return possible


def decided(student: Student, before: str, after: str) -> Change:
    """Decide what becomes of a score: it is written, or it is that already, or it stays and the note says why."""
    score = number_of(before)
    note = "is Canvas's test student; left alone" if student.is_test else KEPT.get(before.upper(), "")
    if not note and score is None and before not in ("", "-"):
        note = "holds no points; left alone"
    if note:
        return Change(student.label, before, before, note, student.id)
    same = score is not None and hundredths(score) == number_of(after)
    return Change(student.label, "" if score is None else before, before if same else after, id=student.id)


def late_note(results: Results) -> list[str]:
    """Return what to look out for where points were taken off for lateness."""
    return [LATE] if any(row.report.lateness and row.report.lateness.percent_off for row in results.rows) else []
