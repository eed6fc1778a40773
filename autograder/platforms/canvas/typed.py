"""What a student typed into Canvas, out of the web page that it is packed as."""

from __future__ import annotations

from autograder.platforms.moodle.onlinetext import text_of as text_of_page

HEADING = b"</h1>"
"""The end of Canvas's own: the assignment and the student's name."""


def text_of(page: bytes) -> str:
    """The text as the student saw it, a line for each of its lines; empty where there is none.

    Args:
        page: HTML in UTF-8: a heading of Canvas's, and below it what the student typed, which may be anything.
    """
    above, heading, below = page.partition(HEADING)
    return text_of_page(below if heading else above)
