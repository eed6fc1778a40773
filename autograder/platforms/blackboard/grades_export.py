"""Fill in the assignment's column of the Grade Center's table, as it is downloaded and uploaded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from autograder.editable_csv import EditableCsv
from autograder.faults import CallerFault
from autograder.platforms.common.grade_column import GradeColumn
from autograder.platforms.common.grade_column_update import compute_grade_column_update
from autograder.platforms.common.platform_model import ClassResults, ExportOptions, ExportResult

GRADES = re.compile(
    r"(?P<title>.*) \[Total Pts: (?P<maximum>\d+(?:[.,]\d+)?)(?: (?P<kind>\w+))?\]\s*\|(?P<id>\d+)\s*",
    re.S,
)
"""``HW1 [Total Pts: 20 Score] |1234``; older releases leave the kind out.

Columns that Blackboard calculates have ``up to 20`` there, and are never written.
"""
WHO = "username"


def make_class_export(results: ClassResults, options: ExportOptions) -> ExportResult:
    """Return the table with this class's points in it, to be uploaded under "Work Offline".

    Raises:
        CallerFault: there is no table, it is not the Grade Center's, or not just one column is the assignment's.
    """
    if options.sheet is None:
        raise CallerFault(
            "the Grade Center's table is missing",
            "export blackboard",
            "download it with Work Offline > Download, and name it with --gradebook",
        )
    sheet = EditableCsv(options.sheet, options.sheet_name or "the gradebook")
    header = sheet.rows[0].cells
    if WHO not in (cell.strip().casefold() for cell in header):
        raise CallerFault(
            "the table has no column Username", sheet.name, "download the Full Grade Center, with user information"
        )
    column, cell_by_row, export = compute_grade_column_update(sheet, _iterate_grade_columns(header), results, options)
    always_quote = sheet.get_raw_cells(0)[column].startswith('"')
    for row, cell in cell_by_row.items():
        sheet.set_cell(row, column, cell, always_quote=always_quote)
    name = options.sheet_name.replace("\\", "/").rpartition("/")[2] or "grades.csv"
    return replace(export, files={name: bytes(sheet)})


def _iterate_grade_columns(header: tuple[str, ...]) -> Iterator[GradeColumn]:
    for index, cell in enumerate(header):
        if title_match := GRADES.fullmatch(cell):
            points = float(title_match["maximum"].replace(",", "."))
            yield GradeColumn(
                index,
                title_match["title"],
                (cell, cell.strip(), f"|{title_match['id']}"),
                title_match["id"],
                points or None,
            )
