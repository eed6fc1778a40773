"""What a reader sees of HTML: elements, attributes and text."""

from __future__ import annotations

from html.parser import HTMLParser


class ReadHtml(HTMLParser):
    """Some HTML, read as browsers read it."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.classes: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.classes += (dict(attrs).get("class") or "").split()

    def handle_data(self, data: str) -> None:
        self.text += data
