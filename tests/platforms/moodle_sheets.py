"""Worksheets that a real Moodle gave, who stands in them, and other columns for them."""

from __future__ import annotations

from autograder.tables import EditableCsv
from tests.platforms.moodle_class import COMMENT, GOLDEN, GRADE, with_cells

PLAIN = (GOLDEN / "plain_worksheet.csv").read_bytes()
EMPTY = with_cells(PLAIN, {(row, column): "" for row in range(1, 7) for column in (GRADE, COMMENT)})
"""The worksheet before anybody was graded."""
ADA, BOB, JOSE, LI, BERG = (
    "Ada Lovelace_2",
    "Bob Builder_4",
    "José María Ñandú-OBrien_6",
    "小龙 李_1",
    "A b 12 van der Berg, Jr._5",
)
EVERYBODY = (ADA, BOB, JOSE, LI, BERG)


def wider(sheet: bytes, place: int, title: str, values: list[str]) -> bytes:
    """A worksheet with one more column."""
    rows = [
        [*row.cells[:place], value, *row.cells[place:]]
        for row, value in zip(EditableCsv(sheet, "").rows, [title, *values], strict=True)
    ]
    empty = b"".join(b"," * (len(row) - 1) + b"\n" for row in rows)
    return with_cells(
        empty, {(row, column): cell for row, found in enumerate(rows) for column, cell in enumerate(found)}
    )
