"""Keep spreadsheets from computing what is text."""

from __future__ import annotations

import re

BEGINS = r"(?=[\s'\"]*[=+\-@＝＋－＠])"
FORMULA = re.compile(rf"(^|[;\t\r\n]){BEGINS}")
"""Where a spreadsheet could see a formula begin: at the start, and where it parts cells, which in half of Europe is
at semicolons. Signs of full width count in Asia."""
NEUTRALIZED = re.compile(rf"(^|[;\t\r\n])'{BEGINS}")


def neutralize_formula(text: str) -> str:
    r"""Make a text one that a spreadsheet shows and never computes; two texts that differ stay different.

    >>> neutralize_formula("=HYPERLINK(\"https://evil.example\")")
    '\'=HYPERLINK("https://evil.example")'
    """
    return FORMULA.sub(r"\1'", text)


def restore_formula(text: str) -> str:
    """Return the text that ``neutralize_formula`` made into ``text``.

    >>> restore_formula("'=1+1"), restore_formula("'quoted'")
    ('=1+1', "'quoted'")
    """
    return NEUTRALIZED.sub(r"\1", text)
