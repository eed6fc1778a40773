"""Read and write numbers as Moodle does: with a point, or with a comma where its language has one."""

from __future__ import annotations

import re
from decimal import Decimal

NUMBER = re.compile(r"\d{1,12}(?:[.,]\d{1,10})?")


def try_parse_number(cell: str) -> Decimal | None:
    """Return the number in a cell; None if the cell holds anything else.

    >>> try_parse_number("17,5"), try_parse_number("-"), try_parse_number("1.234,5")
    (Decimal('17.5'), None, None)
    """
    return Decimal(cell.strip().replace(",", ".")) if NUMBER.fullmatch(cell.strip()) else None


def format_number(number: Decimal, decimal_mark: str) -> str:
    """Return a number written as short as it can be: 20, 17.5 or 17,5.

    >>> format_number(Decimal("20.00"), ","), format_number(Decimal("17.50"), ",")
    ('20', '17,5')
    """
    text = f"{number:f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace(".", decimal_mark)
