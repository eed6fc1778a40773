"""Describe one row of a worksheet: a student, by number and by name."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.editable_csv import SheetRow
from autograder.platforms.moodle.worksheet_column_detection import NUMBERED, WorksheetColumns
from autograder.safe_text import escape_name_unambiguously


@dataclass(frozen=True, slots=True)
class WorksheetStudent:
    """One row of the worksheet."""

    row_index: int
    """In the sheet."""
    row: SheetRow
    participant_number: str
    participant_word: str
    """What stands before the number: ``Participant``, in the teacher's language."""
    other_cells: tuple[str, ...]
    """What else the sheet says of the student, left of the grade."""
    full_name: str
    """The full name; empty where names are hidden."""

    def get_cell(self, column: int | None) -> str:
        """Return a cell; empty where the worksheet has no such column."""
        return "" if column is None else self.row.cells[column]

    @property
    def label(self) -> str:
        """Return how messages call the student."""
        return escape_name_unambiguously(f"{self.full_name or self.participant_word} ({self.participant_number})", 80)


def make_worksheet_student(
    row_index: int, row: SheetRow, columns: WorksheetColumns, has_names: bool
) -> WorksheetStudent:
    """Return the student of a row that begins with a participant's number; ``has_names``: a full name comes next."""
    match = NUMBERED.fullmatch(row.cells[0])
    assert match is not None  # other rows were left out before
    cells = (*row.cells, *[""] * (columns.width - len(row.cells)))
    cells_before_grade = tuple(cells[1 : columns.grade])
    return WorksheetStudent(
        row_index,
        SheetRow(row.line, cells),
        match[2],
        match[1].strip(),
        cells_before_grade,
        cells_before_grade[0] if has_names else "",
    )
