"""An online text as the program that somebody typed into Moodle's editor."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

BLOCKS = frozenset(
    {"address", "blockquote", "dd", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6"}
    | {"hr", "li", "ol", "p", "pre", "table", "td", "th", "tr", "ul"}
)
UNSEEN = frozenset({"script", "style", "title"})
SPACES = str.maketrans({"\xa0": " ", "\u200b": "", "\ufeff": ""})
"""The editor keeps an indentation with spaces that do not break."""


def text_of(page: bytes) -> str:
    """The text of a page, a line for each of its lines; empty where it shows nothing.

    Args:
        page: HTML in UTF-8, which may be anything.
    """
    source = page.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    reader = _Lines()
    try:
        reader.feed(source)
        reader.close()
        text = reader.text
    except (AssertionError, ValueError):  # what the standard library's parser says to some broken declarations
        text = html.unescape(re.sub(r"<[^<>]*>", "\n", source))
    lines = [line.rstrip() for line in text.translate(SPACES).split("\n")]
    whole = "\n".join(lines).strip("\n")
    return f"{whole}\n" if whole.strip() else ""


class _Lines(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[str] = []
        self._begun = False
        """Whether something stands in this line."""
        self._indent = ""
        """Spaces before what stands in it next, if that is in the same block."""
        self._unseen = 0
        self._pre = 0

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "br":
            self._end_line()
        elif tag in BLOCKS:
            self._block()
        self._unseen += tag in UNSEEN
        self._pre += tag == "pre"

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "br":
            self._end_line()
        elif tag in BLOCKS:
            self._block()

    def handle_endtag(self, tag: str) -> None:
        if tag in BLOCKS:
            self._block()
        self._unseen = max(0, self._unseen - (tag in UNSEEN))
        self._pre = max(0, self._pre - (tag == "pre"))

    def handle_data(self, data: str) -> None:
        """Text; the line ends that Moodle writes between its tags are none of the student's."""
        if self._unseen:
            return
        if not data.strip(" \t\n") and "\n" in data and not self._pre:
            if self._begun:
                self._end_line()
            self._indent = data.rpartition("\n")[2]
            return
        self._parts.append(self._indent + (data if self._begun or self._pre else data.removeprefix("\n")))
        self._begun, self._indent = True, ""

    def _block(self) -> None:
        self._indent = ""
        if self._begun:
            self._end_line()

    def _end_line(self) -> None:
        self._parts.append("\n")
        self._begun, self._indent = False, ""
