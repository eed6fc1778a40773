"""Measure and escape text for SVG, which does not wrap lines."""

from __future__ import annotations

from autograder.safe_text import escape_for_display

CHARACTER = 7.9
"""The width reserved for a character of the monospaced font, in pixels; wide fonts of some systems fit too."""
LINE = 19.0
"""The height of a line, in pixels."""


def replace_unprintable_for_svg(text: str) -> str:
    """Return a text on one line, with escapes for characters that XML cannot hold or that are invisible.

    ``<`` and ``&`` stay as they are.
    """
    return escape_for_display(text, len(text) + 1)


def format_coordinate(number: float) -> str:
    """Format a number with at most one decimal.

    >>> format_coordinate(12.04), format_coordinate(12.06)
    ('12', '12.1')
    """
    return f"{number:.1f}".removesuffix(".0")
