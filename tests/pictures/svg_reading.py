"""Read an SVG as a browser does: its texts and the classes of its elements."""

from __future__ import annotations

from xml.etree.ElementTree import fromstring


def texts_of(svg: str) -> list[str]:
    """Return what is written in a picture, in order."""
    return [text.text or "" for text in fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def names_of_classes(svg: str) -> list[str]:
    """Return the ``class`` of every element that has one."""
    return [one.get("class", "") for one in fromstring(svg).iter() if one.get("class")]
