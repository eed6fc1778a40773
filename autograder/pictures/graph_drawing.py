"""Draw a picture as SVG that is readable in colour, in black and white, in dark mode and by screen readers.

Everything is built as elements and attributes, so that text cannot become markup. A page with a picture needs the
style sheet ``picture.css``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, tostring

from autograder.pictures.edge_drawing import NodeBox, draw_edges
from autograder.pictures.graph_layout import GraphLayout, LayoutMetrics, compute_graph_layout
from autograder.pictures.picture_content import PictureContent, PictureNode
from autograder.pictures.svg_text import CHARACTER, LINE, format_coordinate, replace_unprintable_for_svg
from autograder.safe_text import escape_for_display

MARGIN = 6.0
PADDING = 11.0
BAND = 22.0
LEAST_WIDTH, MOST_CHARACTERS = 96.0, 26
STYLE = Path(__file__).with_name("picture.css")


def draw_picture_as_svg(picture: PictureContent) -> str:
    """Return a picture as an ``svg`` element with ids that begin with ``picture``: a page can hold one of them."""
    return _draw_picture(picture, _measure_nodes_and_gaps([picture]), "picture", aloud=True)


def draw_pictures_with_same_layout(pictures: Sequence[PictureContent], id_prefix: str) -> list[str]:
    """Return pictures of one graph as ``svg`` elements in which every node keeps its place.

    The pictures are hidden from screen readers, so the text beside each picture has to say what it shows.

    Args:
        pictures: the contents of the pictures, which must have the same nodes and edges.
        id_prefix: the prefix of ids in the pictures; it must be unique in the page.
    """
    size = _measure_nodes_and_gaps(pictures)
    return [
        _draw_picture(picture, size, f"{id_prefix}-{number}", aloud=False)
        for number, picture in enumerate(pictures, 1)
    ]


def _measure_nodes_and_gaps(pictures: Sequence[PictureContent]) -> LayoutMetrics:
    """Return the space that the nodes of one graph need in all of these pictures."""
    nodes = [node for picture in pictures for node in picture.nodes]
    labels = [edge.label for picture in pictures for edge in picture.edges]
    texts = [text for node in nodes for text in (node.heading, *(line.text for line in node.lines))]
    longest = min(max(map(len, texts)), MOST_CHARACTERS)
    badge = max(len(node.badge) for node in nodes) * 6.6
    return LayoutMetrics(
        width=max(LEAST_WIDTH, badge + 2 * PADDING, longest * CHARACTER + 2 * PADDING),
        heights=[
            max(map(_node_height, node_heights))
            for node_heights in zip(*(picture.nodes for picture in pictures), strict=True)
        ],
        gap_across=max((38 + 2.2 * len(line) for label in labels for line in label), default=30),
        gap_down=38.0 + 16.0 * max(map(len, labels), default=0),
    )


def _draw_picture(picture: PictureContent, size: LayoutMetrics, identifier: str, *, aloud: bool) -> str:
    index_by_name = {node.name: index for index, node in enumerate(picture.nodes)}
    layout = compute_graph_layout(
        [(index_by_name[edge.user], index_by_name[edge.operand]) for edge in picture.edges], size
    )
    svg = _start_svg(picture, layout, identifier, aloud=aloud)
    canvas = SubElement(svg, "g", {"transform": f"translate({MARGIN:g} {MARGIN:g})"})
    boxes = {
        name: NodeBox(*layout.node_positions[index], size.width, size.heights[index])
        for name, index in index_by_name.items()
    }
    routes = {
        (edge.user, edge.operand): layout.routes[index_by_name[edge.user], index_by_name[edge.operand]]
        for edge in picture.edges
    }
    draw_edges(canvas, picture, boxes, routes, identifier)
    for node in picture.nodes:
        _draw_node(canvas, node, boxes[node.name])
    return tostring(svg, encoding="unicode")


@cache
def read_picture_style_sheet() -> str:
    """Return the style sheet that pictures need."""
    return STYLE.read_text(encoding="utf-8")


def _node_height(node: PictureNode) -> float:
    return (len(node.lines) + 1) * LINE + 2 * PADDING - 6 + (BAND if node.badge else 0)


def _start_svg(picture: PictureContent, layout: GraphLayout, identifier: str, *, aloud: bool) -> Element:
    width, height = layout.width + 2 * MARGIN, layout.height + 2 * MARGIN
    svg = Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "class": "picture",
            "viewBox": f"0 0 {format_coordinate(width)} {format_coordinate(height)}",
            "width": format_coordinate(width),
            "height": format_coordinate(height),
        },
    )
    if aloud:
        svg.attrib |= {"role": "img", "aria-labelledby": f"{identifier}-title {identifier}-words"}
        SubElement(svg, "title", {"id": f"{identifier}-title"}).text = replace_unprintable_for_svg(picture.title)
        SubElement(svg, "desc", {"id": f"{identifier}-words"}).text = replace_unprintable_for_svg(picture.description)
    else:
        svg.attrib["aria-hidden"] = "true"
    return svg


def _draw_node(parent: Element, node: PictureNode, box: NodeBox) -> None:
    translation = f"translate({format_coordinate(box.left)} {format_coordinate(box.top)})"
    group = SubElement(parent, "g", {"class": f"node {node.tone}", "transform": translation})
    width, height = format_coordinate(box.width), format_coordinate(box.height)
    SubElement(group, "rect", {"class": "box", "width": width, "height": height, "rx": "8"})
    y = PADDING + LINE * 0.6
    _write_line(group, node.heading, y, "heading")
    for line in node.lines:
        y += LINE
        _write_line(group, line.text, y, line.kind)
    if node.badge:
        _draw_badge(group, node.badge, box)


def _write_line(parent: Element, text: str, y: float, kind: str) -> None:
    short_text = escape_for_display(text, MOST_CHARACTERS)
    attributes = {"class": kind, "x": format_coordinate(PADDING), "y": format_coordinate(y)}
    SubElement(parent, "text", attributes).text = f"{short_text} ✗" if kind == "got" else short_text


def _draw_badge(group: Element, text: str, box: NodeBox) -> None:
    """Draw a band with a text along the lower side of a node's box."""
    width, top, bottom, round_off = (
        format_coordinate(length) for length in (box.width, box.height - BAND, box.height, 8)
    )
    curve_start, side_end = format_coordinate(box.width - 8), format_coordinate(box.height - 8)
    path = f"M0 {top}H{width}V{side_end}Q{width} {bottom} {curve_start} {bottom}H{round_off}Q0 {bottom} 0 {side_end}z"
    SubElement(group, "path", {"class": "band", "d": path})
    attributes = {"class": "badge", "x": format_coordinate(box.width / 2), "y": format_coordinate(box.height - 7)}
    SubElement(group, "text", attributes).text = text
