"""Read what a student typed into Canvas from the web page that it is packed as."""

from __future__ import annotations

from autograder.platforms.common.html_to_text import convert_html_to_plain_text

HEADING = "</h1>"
"""The end of Canvas's own: the assignment and the student's name."""


def extract_typed_text_or_empty(page: bytes) -> str:
    r"""Return the text as the student saw it, a line for each of its lines; empty where there is none.

    Args:
        page: HTML in UTF-8: Canvas's heading, and below it what the student typed, which may be anything.

    >>> extract_typed_text_or_empty(b"<h1>Engine: Ada</h1><p>class Value:</p><p>&nbsp;&nbsp;pass</p>")
    'class Value:\n  pass\n'
    """
    text_before, heading, text_after = page.decode("utf-8", "replace").partition(HEADING)
    return convert_html_to_plain_text(text_after if heading else text_before)
