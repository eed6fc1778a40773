"""Tell a worksheet's columns apart by their cells, because its headers are in the teacher's language."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.editable_csv import EditableCsv, SheetRow
from autograder.english_wording import join_with_and
from autograder.faults import CallerFault
from autograder.platforms.moodle.number_format import try_parse_number
from autograder.platforms.moodle.yes_no_words import are_all_yes_or_no
from autograder.safe_text import escape_for_display

NUMBERED = re.compile(r"(.*?)(?<!\d)(\d++)\s*", re.S)
ADVICE = "use the worksheet as Moodle gives it: in the assignment, Submissions, Download grading worksheet"


@dataclass(frozen=True, slots=True)
class WorksheetColumns:
    """Places of columns, from 0; None for one that is not there."""

    width: int
    """How many there are in the widest row."""
    grade: int
    max_grade: int | None
    """Full marks, in every row."""
    changeable: int | None
    """Whether the grade can be changed; None where no column says so in a language that is known."""
    grade_date: int | None
    """When the grade was last changed."""
    feedback_comment: int | None

    @property
    def has_marking_workflow(self) -> bool:
        """Return whether a state of marking stands between full marks and "Grade can be changed"."""
        return self.changeable is not None and self.max_grade is not None and self.changeable > self.max_grade + 1

    @property
    def possible_grade_changeable_columns(self) -> tuple[int, ...]:
        """Return where "Grade can be changed" is or may be: after full marks, or one further with a marking state."""
        if self.changeable is not None or self.max_grade is None:
            return () if self.changeable is None else (self.changeable,)
        return tuple(column for column in (self.max_grade + 1, self.max_grade + 2) if column < self.width)

    @property
    def possible_team_columns(self) -> tuple[int, ...]:
        """Return where a team's name may stand: before the grade, or before the marker's name in front of the grade.

        The first columns are the participant's number, and the full name or the status.
        """
        return tuple(column for column in (self.grade - 1, self.grade - 2) if column > 1)


def require_participant_rows(sheet: EditableCsv) -> list[tuple[int, SheetRow]]:
    """Return the rows of a worksheet that hold a participant, each with its place in the sheet.

    Raises:
        CallerFault: no row holds a participant, or a row does not begin with a participant's number.
    """
    participant_rows = [
        (row_index, row) for row_index, row in enumerate(sheet.rows) if row_index and any(map(str.strip, row.cells))
    ]
    for _, row in participant_rows:
        if not NUMBERED.fullmatch(row.cells[0]):
            location = f"{sheet.name}, line {row.line}"
            raise CallerFault(
                "the row does not begin with a participant's number, such as 'Participant 7'", location, ADVICE
            )
    if not participant_rows:
        raise CallerFault("the worksheet holds no participant", sheet.name, ADVICE)
    return participant_rows


def identify_worksheet_columns(
    sheet: EditableCsv, rows: Sequence[SheetRow], settings: Mapping[str, str]
) -> WorksheetColumns:
    """Find the columns of a worksheet.

    Args:
        sheet: the worksheet; its header and its name are used.
        rows: the rows of participants, at least one.
        settings: ``grade_column`` and ``feedback_column`` are headers.

    Raises:
        CallerFault: no column surely holds grades, or a setting names no column.
    """
    header = sheet.rows[0].cells
    width = max(len(header), *(len(row.cells) for row in rows))
    cells = [[row.cells[column] if column < len(row.cells) else "" for row in rows] for column in range(width)]
    column_by_title = {title.strip().casefold(): column for column, title in enumerate(header)}
    full_marks_columns = [column for column in range(2, width - 1) if _are_full_marks(cells, column)]
    if title := settings.get("grade_column", ""):
        grade = _get_named_column(title, column_by_title, sheet)
    elif full_marks_columns:
        grade = full_marks_columns[-1] - 1  # the last: a student's own field may look like one, and stands before
    elif (column := column_by_title.get("grade", 0)) and all(
        try_parse_number(cell) is not None for cell in cells[column] if cell
    ):
        grade = column
    else:
        raise CallerFault(
            f"no column of grades stands beside full marks among {_format_titles(header)}",
            sheet.name,
            "name it with --set grade_column='...'; an assignment graded with a scale has none",
        )
    max_grade = grade + 1 if grade + 1 in full_marks_columns else None
    columns_after_max_grade = range(0) if max_grade is None else range(max_grade + 1, min(max_grade + 3, width))
    changeable = next((column for column in columns_after_max_grade if are_all_yes_or_no(cells[column])), None)
    return WorksheetColumns(
        width,
        grade,
        max_grade,
        changeable,
        *_find_columns_after_grade(grade, cells, column_by_title, settings, sheet),
    )


def _are_full_marks(cells: Sequence[Sequence[str]], column: int) -> bool:
    """Return whether a column repeats one positive number, right of grades or blank cells and left of words."""
    full_marks = try_parse_number(cells[column][0])
    if not full_marks or any(cell != cells[column][0] for cell in cells[column]):
        return False
    grades, next_cells = [cell for cell in cells[column - 1] if cell.strip()], cells[column + 1]
    return all(try_parse_number(cell) is not None for cell in grades) and all(
        cell.strip() and try_parse_number(cell) is None for cell in next_cells
    )


def _find_columns_after_grade(
    grade: int,
    cells: Sequence[Sequence[str]],
    column_by_title: Mapping[str, int],
    settings: Mapping[str, str],
    sheet: EditableCsv,
) -> tuple[int | None, int | None]:
    """Find grade dates and comments: the last column has comments if it holds no dates and the one before it does."""
    last_column = len(cells) - 1
    grade_date, feedback_comment = (
        column_by_title.get("last modified (grade)"),
        column_by_title.get("feedback comments"),
    )
    if are_all_dates_or_dashes(cells[last_column]):
        grade_date = last_column
    elif last_column - 1 > grade and are_all_dates_or_dashes(cells[last_column - 1]):
        grade_date, feedback_comment = last_column - 1, last_column
    if title := settings.get("feedback_column", ""):
        feedback_comment = _get_named_column(title, column_by_title, sheet)
    return grade_date, feedback_comment


def are_all_dates_or_dashes(cells: Sequence[str]) -> bool:
    """Return whether each cell is a day and a time, in any language, or the ``-`` that Moodle writes for none."""
    return all(cell.strip() == "-" or _looks_like_date(cell) for cell in cells)


def _looks_like_date(cell: str) -> bool:
    numbers = re.findall(r"\d+", cell)
    return len(cell) < 80 and len(numbers) >= 3 and any(len(number) == 4 for number in numbers)


def _get_named_column(title: str, column_by_title: Mapping[str, int], sheet: EditableCsv) -> int:
    column = column_by_title.get(title.strip().casefold(), 0)
    if not column:
        raise CallerFault(
            f"the worksheet has no column '{escape_for_display(title, 60)}'",
            sheet.name,
            f"choose from {_format_titles(sheet.rows[0].cells)}",
        )
    return column


def _format_titles(header: Sequence[str]) -> str:
    return join_with_and([f"'{escape_for_display(title, 40)}'" for title in header[:20]])
