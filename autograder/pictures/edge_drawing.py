"""Draw the edges of a picture: arrows in the direction in which gradients or numbers flow, and their labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

from autograder.pictures.graph_layout import Point
from autograder.pictures.picture_content import PictureContent, PictureEdge
from autograder.pictures.svg_text import format_coordinate, replace_unprintable_for_svg

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


def draw_edges(
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
        points = _route_edge(
            box_by_node[edge.user], box_by_node[edge.operand], route_by_edge[edge.user, edge.operand]
        )
        _draw_arrows(parent, edge, points, id_prefix, upwards=picture.flow == "up")
        if edge.label:
            labels.append((edge, points))
    for edge, points in labels:
        _draw_label(parent, edge, points, taken_boxes)


def _define_arrowheads(parent: Element, kinds: Iterable[str], identifier: str) -> None:
    definitions = SubElement(parent, "defs")
    for kind in sorted(kinds):
        head = SubElement(
            definitions,
            "marker",
            {
                "id": f"{identifier}-{kind}",
                "class": f"head {kind}",
                "viewBox": "0 0 10 10",
                "refX": "9",
                "refY": "5",
                "markerWidth": "9",
                "markerHeight": "9",
                "markerUnits": "userSpaceOnUse",
                "orient": "auto-start-reverse",
            },
        )
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
    shifts = [(number - (edge.uses - 1) / 2) * APART for number in range(edge.uses)]
    end = "marker-start" if upwards else "marker-end"
    for shift in shifts:
        path = _make_smooth_path([(x + shift, y) for x, y in points])
        if edge.kind == "repeated":
            SubElement(parent, "path", {"class": "edge repeated wide", "d": path})
            SubElement(parent, "path", {"class": "edge inside", "d": path})
        SubElement(
            parent,
            "path",
            {
                "class": f"edge {edge.kind}" + (" bare" if edge.kind == "repeated" else ""),
                "d": path,
                end: f"url(#{identifier}-{edge.kind})",
            },
        )


def _make_smooth_path(points: Sequence[Point]) -> str:
    """Return a path of curves that leave and enter every point vertically."""
    x, y = points[0]
    parts = [f"M{format_coordinate(x)} {format_coordinate(y)}"]
    for to_x, to_y in points[1:]:
        middle = (y + to_y) / 2
        parts.append("C" + " ".join(map(format_coordinate, (x, middle, to_x, middle, to_x, to_y))))
        x, y = to_x, to_y
    return "".join(parts)


def _draw_label(parent: Element, edge: PictureEdge, points: Sequence[Point], taken_boxes: list[Box]) -> None:
    width = max(map(len, edge.label)) * LETTER + 10
    height = len(edge.label) * ROW + 4
    candidates = [_make_label_box(points, fraction, width, height) for fraction in PLACES]
    box = next(
        (box for box in candidates if not any(_boxes_overlap(box, taken_box) for taken_box in taken_boxes)),
        candidates[0],
    )
    taken_boxes.append(box)
    translation = f"translate({format_coordinate(box[0])} {format_coordinate(box[1])})"
    group = SubElement(parent, "g", {"class": f"label {edge.kind}", "transform": translation})
    SubElement(group, "rect", {"width": format_coordinate(width), "height": format_coordinate(height), "rx": "4"})
    for row, line in enumerate(edge.label):
        position = {"x": format_coordinate(width / 2), "y": format_coordinate(ROW * (row + 0.8) + 1)}
        SubElement(group, "text", position).text = replace_unprintable_for_svg(line)


def _make_label_box(points: Sequence[Point], fraction: float, width: float, height: float) -> Box:
    """Return the box of a label that is centred on a point of the first part of an edge."""
    (x, y), (to_x, to_y) = points[0], points[1]
    # At about the fraction t of its height, a curve with vertical ends is at 3t^2 - 2t^3 of its width.
    across = 3 * fraction**2 - 2 * fraction**3
    left, top = x + (to_x - x) * across - width / 2, y + (to_y - y) * fraction - height / 2
    return left, top, left + width, top + height


def _boxes_overlap(box: Box, other_box: Box) -> bool:
    return box[0] < other_box[2] and other_box[0] < box[2] and box[1] < other_box[3] and other_box[1] < box[3]
