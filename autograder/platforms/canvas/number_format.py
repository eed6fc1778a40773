"""Read and write points as Canvas does: with a decimal point or comma."""

from __future__ import annotations

import re
from decimal import Decimal

from autograder.platforms.common.export_points import round_to_hundredths

NUMBER = re.compile(r"-?(?=[.,]*[0-9])[0-9.,]+")
COMMA = re.compile(r"-?[0-9]+,[0-9]+")
"""A number with a decimal comma."""


def try_parse_number(cell: str) -> Decimal | None:
    """Read a cell's number, where the last point or comma is the decimal one; None if it is not a number.

    >>> try_parse_number("1.234,5"), try_parse_number("17.5"), try_parse_number("A-")
    (Decimal('1234.5'), Decimal('17.5'), None)
    """
    text = cell.strip()
    if not NUMBER.fullmatch(text):
        return None
    *whole_parts, last_part = re.split("[.,]", text)
    return Decimal(f"{''.join(whole_parts) or '0'}.{last_part or '0'}" if whole_parts else last_part)


def format_score(score: Decimal, *, uses_decimal_comma: bool = False) -> str:
    """Return a score as Canvas exports it: ``17.50``.

    >>> format_score(Decimal("17.5")), format_score(Decimal("1.005"), uses_decimal_comma=True)
    ('17.50', '1,01')
    """
    text = f"{round_to_hundredths(score):f}"
    return text.replace(".", ",") if uses_decimal_comma else text
