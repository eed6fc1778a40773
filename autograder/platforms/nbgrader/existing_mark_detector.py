"""Tell nbgrader's marks from its 0.0 for no mark, by its database and by what the kit wrote last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from autograder.platforms.common.platform_model import ExportOptions
from autograder.platforms.nbgrader.gradebook_reading import (
    NbgraderGradebookMarks,
    find_nbgrader_database,
    try_read_gradebook_marks,
)


class ExistingMarkDetector:
    """Tells whether a row of nbgrader's table holds a mark.

    It asks nbgrader's database, and what the kit wrote last.
    """

    def __init__(self, options: ExportOptions, table_lines: Iterable[str] = ()) -> None:
        """Look for nbgrader's database; read nothing yet."""
        self._options = options
        self._database = find_nbgrader_database(options.submissions)
        self._marks_by_assignment: dict[str, NbgraderGradebookMarks | None] = {}
        self._may_hold_our_marks = self._may_table_hold_marks_of_kit(table_lines)

    def read_gradebook_marks(self, assignment_name: str) -> NbgraderGradebookMarks:
        """Return the marks in nbgrader's database; none where there is none, or it cannot be read."""
        if self._database and assignment_name not in self._marks_by_assignment:
            self._marks_by_assignment[assignment_name] = try_read_gradebook_marks(self._database, assignment_name)
        return self._marks_by_assignment.get(assignment_name) or NbgraderGradebookMarks()

    @property
    def has_readable_database(self) -> bool:
        """Return whether there is a database and no read of it has failed so far; nothing is read here."""
        return self._database is not None and None not in self._marks_by_assignment.values()

    @property
    def notes(self) -> tuple[str, ...]:
        """Return a sentence if there is a database that could not be read."""
        if self._database is None or self.has_readable_database:
            return ()
        return (f"cannot read {self._database}: marks that a person set there are not known",)

    def has_mark(self, assignment_name: str, student_id: str, mark_cells: Sequence[str]) -> bool:
        """Return whether a student has a mark.

        The mark is in the row's cells or in nbgrader's database. A row without one also counts if the kit wrote a
        mark there and a person has evidently set it to 0 since.

        Args:
            assignment_name: its name in nbgrader.
            student_id: the student's id.
            mark_cells: raw score, penalty and score.
        """
        if (
            any(map(_is_neither_empty_nor_zero, mark_cells))
            or student_id in self.read_gradebook_marks(assignment_name).mark_by_student
        ):
            return True
        last_mark, sheet_state = (
            self._options.written.get(("mark", assignment_name, student_id)),
            self._options.sheet_state,
        )
        is_same_sheet = bool(last_mark and sheet_state and last_mark.platform_state_before == sheet_state)
        return self._may_hold_our_marks and self._wrote_points(assignment_name, student_id) and not is_same_sheet

    def _may_table_hold_marks_of_kit(self, table_lines: Iterable[str]) -> bool:
        """Return whether a table may come from the one that the kit wrote last, and not straight from nbgrader.

        nbgrader imports no marks: a table that it exports anew has 0.0 wherever the kit wrote a mark. A single such
        row does not tell that from a person's 0.
        """
        rows = (line.rstrip("\r").split(",") for line in table_lines)
        our_rows = [cells for cells in rows if len(cells) > 3 and self._wrote_points(cells[0], cells[3])]
        return len(our_rows) == 1 or any(_is_neither_empty_nor_zero(cells[-2]) for cells in our_rows)

    def _wrote_points(self, assignment: str, student: str) -> bool:
        last_mark = self._options.written.get(("mark", assignment, student))
        return bool(last_mark and _is_neither_empty_nor_zero(last_mark.after))


def _is_neither_empty_nor_zero(cell: str) -> bool:
    """Return whether a cell is anything but empty, ``0`` or ``0.0``.

    Texts are compared, not numbers: another spelling of zero, such as ``0.00``, counts as a mark.
    """
    return cell.strip() not in ("", "0", "0.0")
