"""Read the gradebook that Canvas exports, and the column of one assignment in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from autograder.editable_csv import EditableCsv
from autograder.faults import CallerFault
from autograder.platforms.canvas.number_format import COMMA, try_parse_number
from autograder.platforms.canvas.student_matching import CanvasStudent
from autograder.platforms.common.grade_column import GradeColumn
from autograder.safe_text import escape_for_display

TITLE = re.compile(r"(?P<title>.*)\((?P<id>[0-9]+)\)", re.S)
EXPORT = "export it in Canvas: Grades, Export, Export Entire Gradebook"


class CanvasGradebook:
    """An exported gradebook: its students, and where their scores stand."""

    def __init__(self, file_content: bytes, file_name: str) -> None:
        """Read a gradebook.

        Raises:
            CallerFault: the file is not a gradebook, or some program has changed its ids.
        """
        self.sheet = EditableCsv(file_content, file_name)
        self.name = file_name
        self._rows = rows = self.sheet.rows
        self.header = [cell.strip() for cell in rows[0].cells]
        if not {"ID", "Section"} <= set(self.header) or not {"Student", "LastName"} & set(self.header[:1]):
            raise CallerFault("this file is not a gradebook exported from Canvas", file_name, EXPORT)
        self.first = self.header.index("Section") + 1
        """The first column that is not about the student."""
        points_rows = [index for index, row in enumerate(rows) if "Points Possible" in row.cells[0]]
        if not points_rows:
            raise CallerFault("the gradebook has no row 'Points Possible'", file_name, EXPORT)
        self.points_row = points_rows[0]
        self.students: dict[int, CanvasStudent] = {}
        """By row."""
        for index, row in enumerate(rows):
            if index > self.points_row and any(cell.strip() for cell in row.cells):
                self.students[index] = self._make_student(row.cells, row.line)

    def get_original_cell(self, row_index: int, column_index: int) -> str:
        """Return what a cell held in the file."""
        cells = self._rows[row_index].cells
        return cells[column_index].strip() if column_index < len(cells) else ""

    @property
    def writable_grade_columns(self) -> list[GradeColumn]:
        """Return the columns of assignments that may be written."""
        return [
            _make_grade_column(column_index, self.header[column_index])
            for column_index in range(self.first, len(self.header))
            if self._is_writable_assignment(column_index)
        ]

    def find_points_possible(self, column_index: int) -> Decimal | None:
        """Return the full marks of a column; None where it has none."""
        return try_parse_number(self.get_original_cell(self.points_row, column_index))

    def _is_writable_assignment(self, column_index: int) -> bool:
        """Return whether a column is an assignment's that may be written: it has points, or an id in its title."""
        points = self.get_original_cell(self.points_row, column_index)
        return try_parse_number(points) is not None or (
            not points and bool(TITLE.fullmatch(self.header[column_index]))
        )

    def uses_decimal_comma(self, column_index: int) -> bool:
        """Return whether the file writes a column's numbers with a decimal comma."""
        return COMMA.fullmatch(self.get_original_cell(self.points_row, column_index)) is not None

    def _make_student(self, cells: Sequence[str], line: int) -> CanvasStudent:
        cell_by_title = dict(zip(self.header[: self.first], (cell.strip() for cell in cells), strict=False))
        id_ = cell_by_title.get("ID", "")
        if not re.fullmatch("[0-9]+", id_):
            advice = "export it again and do not open it; a spreadsheet program may have changed the file"
            raise CallerFault(
                f"the student's ID '{escape_for_display(id_, 40)}' is not a number",
                f"{self.name}, line {line}",
                advice,
            )
        name = (
            cell_by_title.get("Student")
            or f"{cell_by_title.get('LastName', '')}, {cell_by_title.get('FirstName', '')}"
        )
        return CanvasStudent(id_, name, cell_by_title.get("SIS User ID", ""), cell_by_title.get("SIS Login ID", ""))


def _make_grade_column(index: int, title: str) -> GradeColumn:
    match = TITLE.fullmatch(title)
    return GradeColumn(index, title, (match["title"].strip(),), match["id"]) if match else GradeColumn(index, title)
