"""Draw a picture as SVG that is readable in colour, in black and white, in dark mode and by screen readers."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, tostring

from autograder.pictures.content import PictureContent, PictureEdge, PictureNode
from autograder.text import escape_for_display

CHARACTER = 7.9
"""The width reserved for a character of the monospaced font, in pixels; wide fonts of some systems fit too."""
LINE = 19.0
"""The height of a line, in pixels."""


def _replace_unprintable_for_svg(text: str) -> str:
    """Return a text on one line, with escapes for characters that XML cannot hold or that are invisible.

    ``<`` and ``&`` stay as they are.
    """
    return escape_for_display(text, len(text) + 1)


def _format_coordinate(number: float) -> str:
    """Format a number with at most one decimal.

    >>> _format_coordinate(12.04), _format_coordinate(12.06)
    ('12', '12.1')
    """
    return f"{number:.1f}".removesuffix(".0")


Point = tuple[float, float]
Edge = tuple[int, int]
"""The indices of a node, the user, and of one of its operands."""

SPACING = 10.0
"""The distance between nodes in the library's own unit; positions are scaled afterwards."""


@dataclass(frozen=True, slots=True)
class LayoutMetrics:
    """The space that nodes need, in pixels."""

    width: float
    heights: Sequence[float]
    """The height of each node, by its index."""
    gap_across: float
    """The gap between neighbours in a layer."""
    gap_down: float
    """The gap between layers."""


@dataclass(frozen=True, slots=True)
class GraphLayout:
    """The positions of nodes and edges, in pixels; y grows downwards."""

    width: float
    height: float
    node_positions: tuple[Point, ...]
    """The middle of each node's upper side, by its index."""
    routes: dict[Edge, tuple[Point, ...]]
    """The points of each edge between its ends: it goes straight down past the nodes of each layer that it skips."""


def compute_graph_layout(edges: Sequence[Edge], metrics: LayoutMetrics) -> GraphLayout:
    """Return the layout of a graph; it is always the same for the same graph.

    Args:
        edges: user and operand, by their indices; repeated edges are placed once.
        metrics: the space that nodes need, and how many there are.
    """
    count = len(metrics.heights)
    across, layers, chains = _place_nodes(count, [*dict.fromkeys(edges)])
    scale = _compute_scale(across, layers, count, metrics)
    leftmost = min(across.values()) * scale
    x = {node: across[node] * scale - leftmost + metrics.width / 2 for node in across}
    rows = [
        max((metrics.heights[node] for node in range(count) if layers[node] == row), default=0.0)
        for row in range(max(layers.values()) + 1)
    ]
    tops = [*itertools.accumulate((row + metrics.gap_down for row in rows), initial=0.0)]
    return GraphLayout(
        width=max(x.values()) + metrics.width / 2,
        height=tops[-1] - metrics.gap_down,
        node_positions=tuple((x[node], tops[layers[node]]) for node in range(count)),
        routes={
            edge: tuple(
                (x[node], y) for node in bends for y in (tops[layers[node]], tops[layers[node]] + rows[layers[node]])
            )
            for edge, bends in chains.items()
        },
    )


def _place_nodes(count: int, edges: list[Edge]) -> tuple[dict[int, float], dict[int, int], dict[Edge, list[int]]]:
    """Return x and layer of every node and bend, and the bends of every edge; numbers from ``count`` on are bends."""
    across: dict[int, float] = {}
    layers: dict[int, int] = {}
    chains: dict[Edge, list[int]] = {}
    right, bend = 0.0, itertools.count(count)
    for piece in _list_pieces(count, edges):
        positions, links = _place_piece(piece, edges)
        node_by_place = {place: piece[place] if place < len(piece) else next(bend) for place in positions}
        highest = max(y for _, y in positions.values())
        leftmost = min(x for x, _ in positions.values())
        for place, (x, y) in positions.items():
            across[node_by_place[place]] = x - leftmost + right
            layers[node_by_place[place]] = round((highest - y) / SPACING)
        chains |= _make_chains([(node_by_place[user], node_by_place[operand]) for user, operand in links], count)
        right = max(across.values()) + SPACING
    return across, layers, chains


def _list_pieces(count: int, edges: list[Edge]) -> list[list[int]]:
    """Return the connected components of the graph, each as a sorted list of nodes."""
    pieces = {node: [node] for node in range(count)}
    for user, operand in edges:
        if pieces[user] is not pieces[operand]:
            joined = pieces[user] + pieces[operand]
            pieces |= dict.fromkeys(joined, joined)
    return [sorted(piece) for node, piece in pieces.items() if min(piece) == node]


def _place_piece(piece: list[int], edges: list[Edge]) -> tuple[dict[int, Point], list[Edge]]:
    """Return positions, y upwards, and edges, cut at their bends; nodes by their place in ``piece``, then bends.

    The library numbers nodes by their place in a set, and bends from there on; in a graph of several pieces, a bend
    may get the number of another piece's node.
    """
    from fast_sugiyama import from_edges  # most commands draw nothing

    if len(piece) == 1:
        return {0: (0.0, 0.0)}, []
    place_by_node = {node: place for place, node in enumerate(piece)}
    piece_edges = [(place_by_node[user], place_by_node[operand]) for user, operand in edges if user in place_by_node]
    ((positions, _, _, links),) = from_edges(piece_edges, vertex_spacing=SPACING)
    return {int(node): point for node, point in positions}, [
        (int(user), int(operand)) for user, operand in links or ()
    ]


def _make_chains(links: list[Edge], count: int) -> dict[Edge, list[int]]:
    """Return the bends of each edge, in order from its user down to its operand."""
    operands_by_node = defaultdict(list)
    for user, operand in links:
        operands_by_node[user].append(operand)
    chains: dict[Edge, list[int]] = {}
    for user in [node for node in operands_by_node if node < count]:
        for neighbour in operands_by_node[user]:
            bends, end = [], neighbour
            while end >= count:
                bends.append(end)
                (end,) = operands_by_node[end]
            chains[user, end] = bends
    return chains


def _compute_scale(across: dict[int, float], layers: dict[int, int], count: int, size: LayoutMetrics) -> float:
    """Return the factor for x with which all neighbours in a layer are far enough apart."""
    scale = size.width / SPACING / 2
    rows = defaultdict(list)
    for node, layer in layers.items():
        rows[layer].append(node)
    for row in rows.values():
        for left_node, right_node in itertools.pairwise(sorted(row, key=across.__getitem__)):
            space = size.gap_across + sum(size.width / 2 for node in (left_node, right_node) if node < count)
            scale = max(scale, space / (across[right_node] - across[left_node]))
    return scale


APART = 15.0
"""The distance between two arrows of the same edge, in pixels."""
LETTER, ROW = 6.6, 15.0
"""The width of a label's letters and the height of its lines, in pixels."""
PLACES = (0.5, 0.36, 0.64, 0.24, 0.76)
"""Positions of a label along an edge, as fractions of its first part; the preferred one first."""
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class NodeBox:
    """The box in which a node is drawn."""

    center_x: float
    top: float
    width: float
    height: float

    @property
    def left(self) -> float:
        """Return the x of the box's left side."""
        return self.center_x - self.width / 2

    @property
    def bottom(self) -> float:
        """Return the y of the box's lower side."""
        return self.top + self.height


def _draw_edges(
    parent: Element,
    picture: PictureContent,
    box_by_node: Mapping[str, NodeBox],
    route_by_edge: Mapping[tuple[str, str], Sequence[Point]],
    id_prefix: str,
) -> None:
    """Draw all arrows, then all labels above them.

    Args:
        parent: the element to draw into.
        picture: the picture with the edges.
        box_by_node: the nodes' boxes by name.
        route_by_edge: the points of each edge between its ends, by user and operand.
        id_prefix: the prefix of ids.
    """
    _define_arrowheads(parent, {edge.kind for edge in picture.edges}, id_prefix)
    taken_boxes: list[Box] = [(box.left, box.top, box.left + box.width, box.bottom) for box in box_by_node.values()]
    labels = []
    for edge in picture.edges:
        route = route_by_edge[edge.user, edge.operand]
        points = _route_edge(box_by_node[edge.user], box_by_node[edge.operand], route)
        _draw_arrows(parent, edge, points, id_prefix, upwards=picture.flow == "up")
        labels += [(edge, points)] if edge.label else []
    for edge, points in labels:
        _draw_label(parent, edge, points, taken_boxes)


def _define_arrowheads(parent: Element, kinds: Iterable[str], identifier: str) -> None:
    definitions = SubElement(parent, "defs")
    shape = {"viewBox": "0 0 10 10", "refX": "9", "refY": "5", "markerWidth": "9", "markerHeight": "9"}
    shape |= {"markerUnits": "userSpaceOnUse", "orient": "auto-start-reverse"}
    for kind in sorted(kinds):
        head = SubElement(definitions, "marker", {"id": f"{identifier}-{kind}", "class": f"head {kind}", **shape})
        SubElement(head, "path", {"d": "M0 0L10 5L0 10z"})


def _route_edge(user: NodeBox, operand: NodeBox, bends: Sequence[Point]) -> list[Point]:
    """Return the points that an edge goes through, from its user's lower side to its operand's upper side."""
    reach = user.width * 0.3
    toward, away = (bends[0][0] if bends else operand.center_x), (bends[-1][0] if bends else user.center_x)
    start = (user.center_x + max(-reach, min(reach, (toward - user.center_x) * 0.35)), user.bottom)
    end = (operand.center_x + max(-reach, min(reach, (away - operand.center_x) * 0.35)), operand.top)
    return [start, *bends, end]


def _draw_arrows(
    parent: Element, edge: PictureEdge, points: Sequence[Point], identifier: str, *, upwards: bool
) -> None:
    end, is_repeated = "marker-start" if upwards else "marker-end", edge.kind == "repeated"
    for number in range(edge.uses):
        shift = (number - (edge.uses - 1) / 2) * APART
        path = _make_smooth_path([(x + shift, y) for x, y in points])
        if is_repeated:
            SubElement(parent, "path", {"class": "edge repeated wide", "d": path})
            SubElement(parent, "path", {"class": "edge inside", "d": path})
        classes = f"edge {edge.kind}{' bare' if is_repeated else ''}"
        SubElement(parent, "path", {"class": classes, "d": path, end: f"url(#{identifier}-{edge.kind})"})


def _make_smooth_path(points: Sequence[Point]) -> str:
    """Return a path of curves that leave and enter every point vertically."""
    x, y = points[0]
    parts = [f"M{_format_coordinate(x)} {_format_coordinate(y)}"]
    for to_x, to_y in points[1:]:
        middle = (y + to_y) / 2
        parts.append("C" + " ".join(map(_format_coordinate, (x, middle, to_x, middle, to_x, to_y))))
        x, y = to_x, to_y
    return "".join(parts)


def _draw_label(parent: Element, edge: PictureEdge, points: Sequence[Point], taken_boxes: list[Box]) -> None:
    width = max(map(len, edge.label)) * LETTER + 10
    height = len(edge.label) * ROW + 4
    candidates = [_make_label_box(points, fraction, width, height) for fraction in PLACES]
    box = next(
        (box for box in candidates if not any(_boxes_overlap(box, taken) for taken in taken_boxes)), candidates[0]
    )
    taken_boxes.append(box)
    translation = f"translate({_format_coordinate(box[0])} {_format_coordinate(box[1])})"
    group = SubElement(parent, "g", {"class": f"label {edge.kind}", "transform": translation})
    SubElement(group, "rect", {"width": _format_coordinate(width), "height": _format_coordinate(height), "rx": "4"})
    for row, line in enumerate(edge.label):
        position = {"x": _format_coordinate(width / 2), "y": _format_coordinate(ROW * (row + 0.8) + 1)}
        SubElement(group, "text", position).text = _replace_unprintable_for_svg(line)


def _make_label_box(points: Sequence[Point], fraction: float, width: float, height: float) -> Box:
    """Return the box of a label that is centred on a point of the first part of an edge."""
    (x, y), (to_x, to_y) = points[0], points[1]
    # At about the fraction t of its height, a curve with vertical ends is at 3t^2 - 2t^3 of its width.
    across = 3 * fraction**2 - 2 * fraction**3
    left, top = x + (to_x - x) * across - width / 2, y + (to_y - y) * fraction - height / 2
    return left, top, left + width, top + height


def _boxes_overlap(box: Box, other_box: Box) -> bool:
    return box[0] < other_box[2] and other_box[0] < box[2] and box[1] < other_box[3] and other_box[1] < box[3]


MARGIN = 6.0
PADDING = 11.0
BAND = 22.0
LEAST_WIDTH, MOST_CHARACTERS = 96.0, 26
STYLE = Path(__file__).with_name("picture.css")


def draw_picture_as_svg(picture: PictureContent, id_prefix: str = "picture") -> str:
    """Return a picture as an ``svg`` element; the prefix of its ids must be unique in the page."""
    return _draw_picture(picture, _measure_nodes_and_gaps([picture]), id_prefix, aloud=True)


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
    _draw_edges(canvas, picture, boxes, routes, identifier)
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
    width, height = (_format_coordinate(length + 2 * MARGIN) for length in (layout.width, layout.height))
    attributes = {"viewBox": f"0 0 {width} {height}", "width": width, "height": height}
    svg = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "class": "picture", **attributes})
    if aloud:
        svg.attrib |= {"role": "img", "aria-labelledby": f"{identifier}-title {identifier}-words"}
        SubElement(svg, "title", {"id": f"{identifier}-title"}).text = _replace_unprintable_for_svg(picture.title)
        words = SubElement(svg, "desc", {"id": f"{identifier}-words"})
        words.text = _replace_unprintable_for_svg(picture.description)
    else:
        svg.attrib["aria-hidden"] = "true"
    return svg


def _draw_node(parent: Element, node: PictureNode, box: NodeBox) -> None:
    translation = f"translate({_format_coordinate(box.left)} {_format_coordinate(box.top)})"
    group = SubElement(parent, "g", {"class": f"node {node.tone}", "transform": translation})
    width, height = _format_coordinate(box.width), _format_coordinate(box.height)
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
    attributes = {"class": kind, "x": _format_coordinate(PADDING), "y": _format_coordinate(y)}
    SubElement(parent, "text", attributes).text = f"{short_text} ✗" if kind == "got" else short_text


def _draw_badge(group: Element, text: str, box: NodeBox) -> None:
    """Draw a band with a text along the lower side of a node's box."""
    width, top, bottom, round_off = (
        _format_coordinate(length) for length in (box.width, box.height - BAND, box.height, 8)
    )
    curve_start, side_end = _format_coordinate(box.width - 8), _format_coordinate(box.height - 8)
    path = f"M0 {top}H{width}V{side_end}Q{width} {bottom} {curve_start} {bottom}H{round_off}Q0 {bottom} 0 {side_end}z"
    SubElement(group, "path", {"class": "band", "d": path})
    attributes = {"class": "badge", "x": _format_coordinate(box.width / 2), "y": _format_coordinate(box.height - 7)}
    SubElement(group, "text", attributes).text = text
