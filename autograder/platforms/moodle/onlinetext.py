"""An online text as the program that somebody typed into Moodle's editor."""

from __future__ import annotations

from autograder.platforms.richtext import plain_text


def text_of(page: bytes) -> str:
    """The text of a page, a line for each of its lines; empty where it shows nothing.

    Args:
        page: HTML in UTF-8, which may be anything.
    """
    return plain_text(page.decode("utf-8", "replace"))
