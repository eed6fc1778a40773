"""What a student typed into Canvas, out of the web page that it is packed as."""

from __future__ import annotations

from html.parser import HTMLParser

LINES = frozenset({"p", "div", "pre", "li", "ul", "ol", "table", "tr", "blockquote", "h1", "h2", "h3", "h4"})
UNSHOWN = frozenset({"head", "title", "script", "style"})


def text_of(page: str) -> str:
    """The text as the student saw it: a line for each paragraph and break, spaces as they were typed.

    Args:
        page: a heading of Canvas's, and below it what the student typed, with or without tags.
    """
    reader = _Typed()
    reader.feed(page)
    reader.close()
    return reader.text()


class _Typed(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._lines = [""]
        self._plain = ""
        """The same as if no tag began a line: plain text has its own line ends."""
        self._depth = 0
        self._kept = 0
        self._headed = False
        self._tags = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._depth += tag in UNSHOWN
        self._kept += tag == "pre"
        if tag == "br":
            self._lines.append("")
        elif tag in LINES:
            self._new_line()
        self._tags |= tag in LINES - {"div"} or tag == "br"

    def handle_endtag(self, tag: str) -> None:
        self._depth = max(self._depth - (tag in UNSHOWN), 0)
        self._kept = max(self._kept - (tag == "pre"), 0)
        if tag in LINES:
            self._new_line()
        if tag == "h1" and not self._headed:  # what stands above it is Canvas's own
            self._headed, self._tags = True, False
            self._lines, self._plain = [""], ""

    def handle_data(self, data: str) -> None:
        if self._depth:
            return
        data = data.replace("\xa0", " ").replace("\r\n", "\n")
        self._plain += data
        if self._kept:
            first, *others = data.split("\n")
            self._lines[-1] += first
            self._lines += others
        elif data.strip() or "\n" not in data:
            self._lines[-1] += data.strip("\n").replace("\n", " ")

    def text(self) -> str:
        """What was typed; nothing, or lines that each end."""
        lines = self._lines if self._tags else self._plain.split("\n")
        lines = [line.rstrip() for line in lines]
        while lines and not lines[0]:
            del lines[0]
        while lines and not lines[-1]:
            del lines[-1]
        return "".join(f"{line}\n" for line in lines)

    def _new_line(self) -> None:
        if self._lines[-1]:
            self._lines.append("")
