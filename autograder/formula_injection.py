"""Keep spreadsheets from computing what is text."""

from __future__ import annotations

import re

BEFORE_SIGN = re.compile(r"(?<![\s'\"])[\s'\"]*+(?=[=+\-@＝＋－＠])")
"""What may stand between the beginning of a cell and a sign that begins a formula, as long as it is. Signs of full
width count in Asia. The pattern reads each character once, however many blanks a text has."""
BREAK = r"[\t\r\n]"


def neutralize_formula(text: str) -> str:
    r"""Make a text one that a spreadsheet shows and never computes; two texts that differ stay different.

    >>> neutralize_formula("=HYPERLINK(\"https://evil.example\")")
    '\'=HYPERLINK("https://evil.example")'
    """
    return BEFORE_SIGN.sub(lambda run: _replace_at_cell_starts(run, "", r"\1'"), text)


def restore_formula(text: str) -> str:
    """Return the text that ``neutralize_formula`` made into ``text``.

    >>> restore_formula("'=1+1"), restore_formula("'quoted'")
    ('=1+1', "'quoted'")
    """
    return BEFORE_SIGN.sub(lambda run: _replace_at_cell_starts(run, "'", r"\1"), text)


def _replace_at_cell_starts(before_sign: re.Match[str], found: str, replacement: str) -> str:
    """Replace what is found wherever a spreadsheet could see a cell begin.

    That is at the start, and where the text parts cells, which in half of Europe is at semicolons.
    """
    place, text = before_sign.start(), before_sign.string
    start = f"(^|{BREAK})" if place == 0 or text[place - 1] == ";" else f"({BREAK})"
    return re.sub(start + found, replacement, before_sign[0])
