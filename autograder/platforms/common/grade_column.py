"""Find an assignment's column and each student's row in a platform's table, and compute the cells that change."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from autograder.faults import CallerFault
from autograder.platforms.common.export_points import rescale_points
from autograder.platforms.common.manual_mark_protection import infer_shown_decimals, protect_manual_entries
from autograder.platforms.common.platform_model import (
    ClassResults,
    ExportChange,
    ExportOptions,
    ExportResult,
    SubmissionResult,
)
from autograder.reports.wording import format_points
from autograder.roster.row_fields import (
    CERTAIN_ID_COLUMNS,
    ID_COLUMNS,
    LOGIN_COLUMNS,
    STUDENT_CHOSEN_COLUMNS,
    fold_to_letters_and_digits,
    list_emails_not_chosen_by_students,
    list_nonempty_cells,
    list_student_name_variants,
)
from autograder.tables import EditableCsv
from autograder.text import (
    escape_for_display,
    escape_name_unambiguously,
    format_count,
    join_with_and,
    make_file_name_collision_key,
)


@dataclass(frozen=True, slots=True)
class GradeColumn:
    """A column with grades of one assignment."""

    index: int
    title: str
    """The assignment's title in the header."""
    title_forms: tuple[str, ...] = ()
    """Other forms of the title that a caller may use, such as the whole cell."""
    id: str = ""
    """The platform's; empty where the header does not say."""
    max_points: float | None = None
    """Full marks; None where the header does not say."""


def choose_grade_column(
    columns: Sequence[GradeColumn], wanted_title_or_id: str, results: ClassResults, table_description: str
) -> GradeColumn:
    """Find the column of the assignment.

    Args:
        columns: those that hold grades.
        wanted_title_or_id: what ``--set column=`` says: a title, an id, or the header's whole cell; empty for the one
            column whose title holds the assignment's title or name.
        results: the class's, which name the assignment.
        table_description: the file, for messages.

    Raises:
        CallerFault: no column fits, or several do.
    """
    names = [name for name in (results.title, results.assignment) if name]
    matching_columns = (
        _list_columns_by_title_or_id(columns, wanted_title_or_id)
        if wanted_title_or_id
        else _list_columns_with_name(columns, names)
    )
    if len(matching_columns) == 1:
        return matching_columns[0]
    wanted_titles = " or ".join(
        f"'{escape_for_display(name, 80)}'"
        for name in ([wanted_title_or_id] if wanted_title_or_id else dict.fromkeys(names))
    )
    shown_titles = (
        ", ".join(f"'{escape_for_display(column.title, 80)}'" for column in (matching_columns or columns)[:8])
        or "none"
    )
    problem = f"the table has {'several columns' if matching_columns else 'no column'} for {wanted_titles}"
    raise CallerFault(
        problem, table_description, f"name one with --set column=...; columns with grades: {shown_titles}"
    )


def _list_columns_by_title_or_id(columns: Sequence[GradeColumn], title_or_id: str) -> list[GradeColumn]:
    """Return the columns with this id, or else with this name, or else with this name in other capitals."""
    columns_by_id = [column for column in columns if column.id and column.id == title_or_id.strip()]
    exact_columns = [column for column in columns if title_or_id in (column.title, *column.title_forms)]
    return (
        columns_by_id
        or exact_columns
        or [
            column
            for column in columns
            if make_file_name_collision_key(title_or_id)
            in map(make_file_name_collision_key, (column.title, *column.title_forms))
        ]
    )


def _list_columns_with_name(columns: Sequence[GradeColumn], names: Sequence[str]) -> list[GradeColumn]:
    """Return the columns whose title contains one of these names, with any signs between the words."""
    wanted_words = [words for name in names if (words := _normalize_words(name))]
    return [column for column in columns if any(words in _normalize_words(column.title) for words in wanted_words)]


def _normalize_words(title: str) -> str:
    return " ".join(re.findall(r"\w+", title.replace("_", " ").casefold()))


IdentityFact = tuple[str, str]
"""A fact about a student: its kind (``login``, ``id``, ``email``, ``name``, or ``called`` for any) and value."""
KINDS = ("login", "id", "email", "name")


class StudentRowIndex:
    """Finds rows of a table by facts about a student."""

    def __init__(self, header: Sequence[str], cells_by_row: Mapping[int, Sequence[str]]) -> None:
        """Look through a table.

        Args:
            header: names of the columns.
            cells_by_row: the cells, by the row number that ``find_unique_row_number`` returns.
        """
        self._rows_by_fact: dict[IdentityFact, set[int]] = {}
        for number, cells in cells_by_row.items():
            for kind, value in _list_identity_facts(dict(zip(header, cells, strict=False))):
                self._rows_by_fact.setdefault((kind, _normalize_fact(kind, value)), set()).add(number)

    def find_unique_row_number(self, facts: Sequence[IdentityFact]) -> int | None:
        """Return the one row that is a student's; None if no row or several would do.

        A name decides only if the table has no other matching kind of fact: two students may have the same name.
        """
        table_kinds = {kind for kind, _ in self._rows_by_fact}
        has_certain_kind = any(kind in table_kinds for kind, _ in facts if kind != "name")
        for kind, value in facts:
            kind_groups = (
                (KINDS[:-1], KINDS[-1:])
                if kind == "called"
                else ()
                if kind == "name" and has_certain_kind
                else ((kind,),)
            )
            # real ids and logins go before names, which may equal another student's login
            for kind_group in kind_groups:
                rows = set().union(
                    *(self._rows_by_fact.get((kind, _normalize_fact(kind, value)), set()) for kind in kind_group)
                )
                if len(rows) == 1:
                    return rows.pop()
                if rows:
                    break
        return None


def _list_identity_facts(row: Mapping[str, str]) -> list[IdentityFact]:
    """Return what a table's row, by its columns' names, says of a student; the most distinctive comes first."""
    facts = [("login", cell) for key in LOGIN_COLUMNS for cell in list_nonempty_cells(row, (key,))]
    ids = CERTAIN_ID_COLUMNS if list_nonempty_cells(row, CERTAIN_ID_COLUMNS) else ID_COLUMNS
    facts += [("id", cell) for key in ids for cell in list_nonempty_cells(row, (key,))]
    facts += [("email", cell) for cell in list_emails_not_chosen_by_students(row)]
    return facts + [("name", name) for name in list_student_name_variants(row)]


def _iterate_member_identities(result: SubmissionResult) -> Iterator[tuple[str, list[IdentityFact]]]:
    """Yield each student of a result: a word for messages, and what is known of the student.

    The rows of the course's list say it. Without them, the platform that the submission came from does, but its
    numbers for people stand in no table. Without that, the submission's group or name does.
    """
    if result.people:
        for row in result.people:
            title, cell = next(iter(row.items()))
            is_chosen_by_student = title.strip().casefold() in STUDENT_CHOSEN_COLUMNS  # may be another's login
            yield cell, _list_identity_facts(row) + ([] if is_chosen_by_student else [("login", cell), ("id", cell)])
    elif result.origin and result.origin.people:
        for person in result.origin.people:
            facts = [("login", person.login), ("email", person.email), ("name", person.name)]
            yield person.login or person.name or person.id, [(kind, value) for kind, value in facts if value]
    else:
        name = (result.origin.group if result.origin else "") or result.name
        yield name, [("called", name)]


def _normalize_fact(kind: str, value: str) -> str:
    """Return a value as it is compared: Brightspace begins ids with ``#``, and names are written in many ways."""
    value = make_file_name_collision_key(value.strip().removeprefix("#"))
    return fold_to_letters_and_digits(" ".join(reversed(value.split(",", 1)))) if kind == "name" else value


COMMA = re.compile(r"\d+,\d+")
LEFT_ALONE = frozenset({"ex", "excused", "exempt"})
"""Words that a teacher may write in place of a grade; such cells are never replaced."""
UNGRADED_CELL = re.compile(r"(?:needs grading|in progress)\b.*|-", re.I)
"""Text that a platform writes in cells without a grade."""


def compute_grade_column_update(
    sheet: EditableCsv, columns: Iterable[GradeColumn], results: ClassResults, options: ExportOptions
) -> tuple[int, Mapping[int, str], ExportResult]:
    """Compute the cells of the assignment's column from the results that count; write nothing yet.

    Returns:
        The column's place; the cells that change, by row; and the export that they make, without its files.

    Raises:
        CallerFault: not just one column is the assignment's.
    """
    column = choose_grade_column([*columns], options.settings.get("column", ""), results, sheet.name)
    max_points = column.max_points or options.max_points or results.max_points
    header, *rows = sheet.rows
    cells = {index: row.cells for index, row in enumerate(rows, start=1) if any(cell.strip() for cell in row.cells)}
    old_cells = {index: row[column.index].strip() if column.index < len(row) else "" for index, row in cells.items()}
    uses_decimal_comma = any(COMMA.fullmatch(cell) for cell in old_cells.values())
    students, name_by_row = StudentRowIndex(header.cells, cells), dict[int, str]()

    def find_rows(result: SubmissionResult) -> Iterator[tuple[int | None, str]]:
        for student, facts in _iterate_member_identities(result):
            row, name = students.find_unique_row_number(facts), escape_name_unambiguously(student)
            if row is None:
                yield None, f"no row or several rows of {sheet.name} match {name}"
            else:
                name_by_row.setdefault(row, name)
                yield row, f"{name} in {sheet.name}"

    result_by_row, unmatched = match_results(results.rows, find_rows)
    new_cells, changes, above_count = {}, [], 0
    student_ids = {row: _get_student_identifier(header.cells, cells[row]) for row in result_by_row}
    place_key = column.id or column.title
    decimals = infer_shown_decimals(
        old_cells.values(),
        (
            (old_cells[row], last_mark.after)
            for row, student_id in student_ids.items()
            if (last_mark := options.written.get(("mark", place_key, student_id)))
        ),
    )
    for row, result in result_by_row.items():
        student = name_by_row[row]
        score = float(rescale_points(result.points, results.max_points, max_points))
        above_count += score > max_points
        new_cell = format_points(score).replace(".", "," if uses_decimal_comma else ".")
        if make_file_name_collision_key(old_cells[row]) in LEFT_ALONE:
            changes.append(ExportChange(student, old_cells[row], old_cells[row], "excused; left unchanged"))
        else:
            old_mark = "" if UNGRADED_CELL.fullmatch(old_cells[row]) else old_cells[row]
            change = ExportChange(
                student,
                old_mark,
                new_cell,
                id=student_ids[row],
                place=place_key,
                submission=result.name,
                decimals=decimals,
            )
            changes.append(protect_manual_entries(change, options))
            if changes[-1].has_new_value:
                new_cells[row] = new_cell
    students_without_result = tuple(
        escape_name_unambiguously(_get_student_identifier(header.cells, row))
        for index, row in cells.items()
        if index not in result_by_row
    )
    full_marks = f"the {format_points(max_points)} points of the column"
    notes = (f"{format_count(above_count, 'mark')} above {full_marks}",) if above_count else ()
    return column.index, new_cells, ExportResult({}, tuple(changes), tuple(unmatched), students_without_result, notes)


Key = TypeVar("Key")


def match_results(
    results: Iterable[SubmissionResult], find_students: Callable[[SubmissionResult], Iterable[tuple[Key | None, str]]]
) -> tuple[dict[Key, SubmissionResult], list[str]]:
    """Match results that count with students.

    Args:
        results: the class's.
        find_students: yields a key and a label for each student of a result; None and a reason where there is none.

    Returns:
        The one result of each student, by key; and a sentence for each result without a student, and for each student
        with several results: none of them is used, because a person has to look.
    """
    results_by_key: defaultdict[Key, dict[str, SubmissionResult]] = defaultdict(dict)
    label_by_key: dict[Key, str] = {}
    unmatched = []
    for result in results:
        for key, label_or_reason in find_students(result) if result.attempt_counts else ():
            if key is None:
                unmatched.append(f"{escape_name_unambiguously(result.name)}: {label_or_reason}")
            else:
                label_by_key.setdefault(key, label_or_reason)
                results_by_key[key][result.name] = result
    for key, found in results_by_key.items():
        if len(found) > 1:
            names = join_with_and([escape_name_unambiguously(name) for name in found])
            unmatched.append(f"{names} all match {label_by_key[key]}; none was written: grade that student by hand")
    return {key: next(iter(found.values())) for key, found in results_by_key.items() if len(found) == 1}, unmatched


def _get_student_identifier(header: Sequence[str], row: Sequence[str]) -> str:
    """Return a word for a student: the login, or the row's first cell."""
    cells = {key.strip().casefold(): cell for key, cell in zip(header, row, strict=False)}
    return cells.get("username", row[0]).removeprefix("#") or row[0]
