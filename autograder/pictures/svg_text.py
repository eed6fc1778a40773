"""Measure and cut text for SVG, where lines do not wrap."""

from __future__ import annotations

from autograder.safe_text import escape_for_display

CHARACTER = 7.9
"""The width of a character of the monospaced font, in pixels; wider fonts of some systems fit too."""
LINE = 19.0
"""The height of a line."""


def escape_non_xml_and_invisible_characters(text: str) -> str:
    """Return a text on one line, with escapes for what XML cannot hold or nobody can see."""
    return escape_for_display(text, len(text) + 1)


def escape_non_xml_characters_and_cut(text: str, max_characters: int) -> str:
    """Return a text on one line, cut to a number of characters, with escapes for characters that XML cannot hold.

    ``<`` and ``&`` stay as they are.
    """
    return escape_for_display(text, max_characters)


def format_coordinate(number: float) -> str:
    """Return a number as short as a picture needs it."""
    return f"{number:.1f}".removesuffix(".0")
