"""Read a page as a screen reader does: its headings, links, controls and regions, with their names."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from html.parser import HTMLParser

CONTROLS = ("input", "select", "textarea", "button")
VOID = ("meta", "link", "input", "br", "col", "hr", "img")


@dataclass
class Element:
    """An element with the text inside it."""

    tag: str
    attributes: dict[str, str]
    inside: list[Element]
    """The elements around it, the outermost first."""
    text: str = ""

    @property
    def name(self) -> str:
        return " ".join((self.attributes.get("aria-label") or self.text).split())


@dataclass
class PageOutline(HTMLParser):
    """The elements of a page, in their order."""

    elements: list[Element] = field(default_factory=list)
    _open: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs}, [*self._open])
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop().tag != tag:
            pass

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data

    def find(self, *tags: str, **attributes: str) -> list[Element]:
        """Return the elements of these tags, or all, that have these attributes; ``class_`` stands for ``class``."""
        wanted = {name.rstrip("_"): value for name, value in attributes.items()}
        return [
            one
            for one in self.elements
            if (not tags or one.tag in tags) and all(one.attributes.get(name) == wanted[name] for name in wanted)
        ]

    @property
    def title(self) -> str:
        return self.find("title")[0].name  # an SVG has titles, too, further down


def outline(html: str) -> PageOutline:
    read = PageOutline()
    read.feed(html)
    read.close()
    return read


def list_outline_faults(page: PageOutline) -> list[str]:
    """Return what keeps somebody from finding the way on a page without seeing it."""
    levels = [int(one.tag[1]) for one in page.find("h1", "h2", "h3", "h4", "h5", "h6")]
    faults = [] if levels.count(1) == 1 and levels[0] == 1 else [f"headings begin with {levels[:2]}"]
    faults += [f"h{deep} below h{above}" for above, deep in itertools.pairwise(levels) if deep > above + 1]
    if [one.attributes.get("lang") for one in page.find("html")] != ["en"] or not page.title:
        faults.append("no language or no title")
    leads: dict[str, set[str]] = {}
    for link in page.find("a"):
        leads.setdefault(link.name, set()).add(link.attributes.get("href", ""))
    faults += [f"{name!r} leads to {sorted(there)}" for name, there in leads.items() if not name or len(there) > 1]
    faults += [f"{one.attributes} has no name" for one in page.find(*CONTROLS) if not _has_name(page, one)]
    for region in page.find("div", class_="wide"):
        if not {"role", "aria-label", "tabindex"} <= set(region.attributes):
            faults.append("a region that scrolls is not reached by keys")
    return faults


def _has_name(page: PageOutline, control: Element) -> bool:
    if control.attributes.get("type") == "hidden":
        return True
    labels = [one for one in control.inside if one.tag == "label"]
    if "id" in control.attributes:
        labels += page.find("label", **{"for": control.attributes["id"]})
    return bool(control.name or control.attributes.get("title") or any(one.name for one in labels))
