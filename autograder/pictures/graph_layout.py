"""Place the nodes of a small graph in layers, each node above its operands.

The layers, their order and the bends of long edges come from fast-sugiyama, an implementation of Sugiyama's method.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

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
