"""Find out to how many decimals a platform shows marks: it may round those that the kit wrote in hundredths."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal, InvalidOperation

HUNDREDTH_DECIMALS = 2
"""The number of decimals with which the kit writes marks."""
MOST_DIGITS = 300
"""Most digits of a mark before or after the point; a longer number is not a mark, and exceeds the arithmetic."""
LEAST_ROUNDED = 2
"""How many rounded marks are needed as proof: a single one may have been set by a person."""


def infer_shown_decimals(cells: Iterable[str], cells_with_written_marks: Iterable[tuple[str, str]]) -> int:
    """Return the number of decimals that a column of marks shows, 2 at most.

    No cell of a column that is rounded shows more decimals than the others may. That alone is no proof: a person
    may have changed 15.75 to 16. So most of the marks that the kit wrote with more decimals must be there rounded.

    Args:
        cells: the column, with cells that hold no number.
        cells_with_written_marks: the marks that the kit wrote last, each with what its cell holds now.

    >>> infer_shown_decimals(["16", "12", "9"], [("16", "15.75"), ("12", "12.30"), ("9", "9.00")])
    0
    >>> infer_shown_decimals(["16", "12"], [("16", "15.75"), ("12", "12.00")])
    2
    """
    decimals = max((_count_decimals(number) for cell in cells if (number := try_parse_decimal(cell))), default=0)
    if decimals >= HUNDREDTH_DECIMALS:
        return HUNDREDTH_DECIMALS
    finer_marks = [
        (cell, mark)
        for cell, mark in cells_with_written_marks
        if (number := try_parse_decimal(mark)) and _count_decimals(number.normalize()) > decimals
    ]
    rounded_count = sum(cell_matches_mark(cell, mark, decimals) for cell, mark in finer_marks)
    return decimals if rounded_count >= LEAST_ROUNDED and 2 * rounded_count > len(finer_marks) else HUNDREDTH_DECIMALS


def cell_matches_mark(cell: str, mark: str, shown_decimals: int) -> bool:
    """Return whether a platform that shows so many decimals shows a mark as this; a half may go up or down.

    >>> cell_matches_mark("16", "15.75", 0), cell_matches_mark("15", "15.75", 0)
    (True, False)
    """
    shown_number, exact_number = try_parse_decimal(cell), try_parse_decimal(mark)
    if shown_number is None or exact_number is None:
        return cell.strip() == mark.strip()
    return (
        abs(shown_number - exact_number) <= Decimal(5).scaleb(-shown_decimals - 1)
        and _count_decimals(shown_number) <= shown_decimals
    )


def try_parse_decimal(cell: str) -> Decimal | None:
    """Return the number in a cell, with a decimal point or comma; None if it holds anything else.

    >>> try_parse_decimal("17,5"), try_parse_decimal("1,234.5"), try_parse_decimal("inf")
    (Decimal('17.5'), None, None)
    """
    text = cell.strip()
    try:
        number = Decimal(text.replace(",", ".") if text.count(",") == 1 and "." not in text else text)
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number.adjusted()) <= MOST_DIGITS else None


def _count_decimals(number: Decimal) -> int:
    """Return how many decimals a number is written with, final zeros included."""
    return max(0, -int(number.as_tuple().exponent))
