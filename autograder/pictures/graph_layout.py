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


def compute_graph_layout(edges: Sequence[Edge], node_sizes_and_gaps: LayoutMetrics) -> GraphLayout:
    """Return the layout of a graph; it is always the same for the same graph.

    Args:
        edges: user and operand, by their indices; repeated edges are placed once.
        node_sizes_and_gaps: the space that nodes need, and how many there are.
    """
    count = len(node_sizes_and_gaps.heights)
    across, layers, chains = _place(count, [*dict.fromkeys(edges)])
    scale = _scale(across, layers, count, node_sizes_and_gaps)
    left = min(across.values()) * scale
    x = {at: across[at] * scale - left + node_sizes_and_gaps.width / 2 for at in across}
    rows = [
        max((node_sizes_and_gaps.heights[at] for at in range(count) if layers[at] == row), default=0.0)
        for row in range(max(layers.values()) + 1)
    ]
    tops = [*itertools.accumulate((row + node_sizes_and_gaps.gap_down for row in rows), initial=0.0)]
    return GraphLayout(
        width=max(x.values()) + node_sizes_and_gaps.width / 2,
        height=tops[-1] - node_sizes_and_gaps.gap_down,
        node_positions=tuple((x[at], tops[layers[at]]) for at in range(count)),
        routes={
            edge: tuple((x[at], y) for at in between for y in (tops[layers[at]], tops[layers[at]] + rows[layers[at]]))
            for edge, between in chains.items()
        },
    )


def _place(count: int, edges: list[Edge]) -> tuple[dict[int, float], dict[int, int], dict[Edge, list[int]]]:
    """Return x and layer of every node and bend, and the bends of every edge; numbers from ``count`` on are bends."""
    across: dict[int, float] = {}
    layers: dict[int, int] = {}
    chains: dict[Edge, list[int]] = {}
    right, bend = 0.0, itertools.count(count)
    for named in _list_pieces(count, edges):
        positions, links = _place_piece(named, edges)
        known = {at: named[at] if at < len(named) else next(bend) for at in positions}
        top = max(y for _, y in positions.values())
        start = min(x for x, _ in positions.values())
        for at, (x, y) in positions.items():
            across[known[at]] = x - start + right
            layers[known[at]] = round((top - y) / SPACING)
        chains |= _chains([(known[user], known[used]) for user, used in links], count)
        right = max(across.values()) + SPACING
    return across, layers, chains


def _list_pieces(count: int, edges: list[Edge]) -> list[list[int]]:
    """Return the connected components of the graph, each as a sorted list of nodes."""
    pieces = {at: [at] for at in range(count)}
    for one, other in edges:
        if pieces[one] is not pieces[other]:
            joined = pieces[one] + pieces[other]
            pieces |= dict.fromkeys(joined, joined)
    return [sorted(piece) for at, piece in pieces.items() if min(piece) == at]


def _place_piece(named: list[int], edges: list[Edge]) -> tuple[dict[int, Point], list[Edge]]:
    """Return positions, y upwards, and edges, cut at their bends; nodes by their place in ``named``, then bends.

    The library numbers nodes by their place in a set, and bends from there on; in a graph of several pieces, a bend
    may get the number of another piece's node.
    """
    from fast_sugiyama import from_edges  # most commands draw nothing

    if len(named) == 1:
        return {0: (0.0, 0.0)}, []
    place = {at: number for number, at in enumerate(named)}
    own = [(place[user], place[used]) for user, used in edges if user in place]
    ((positions, _, _, links),) = from_edges(own, vertex_spacing=SPACING)
    return {int(at): point for at, point in positions}, [(int(user), int(used)) for user, used in links or ()]


def _chains(links: list[Edge], count: int) -> dict[Edge, list[int]]:
    """Return the bends of each edge, in order from its user down to its operand."""
    below = defaultdict(list)
    for user, used in links:
        below[user].append(used)
    chains: dict[Edge, list[int]] = {}
    for user in [at for at in below if at < count]:
        for first in below[user]:
            bends, used = [], first
            while used >= count:
                bends.append(used)
                (used,) = below[used]
            chains[user, used] = bends
    return chains


def _scale(across: dict[int, float], layers: dict[int, int], count: int, size: LayoutMetrics) -> float:
    """Return the factor for x with which all neighbours in a layer are far enough apart."""
    scale = size.width / SPACING / 2
    rows = defaultdict(list)
    for at, layer in layers.items():
        rows[layer].append(at)
    for row in rows.values():
        for one, other in itertools.pairwise(sorted(row, key=across.__getitem__)):
            space = size.gap_across + sum(size.width / 2 for at in (one, other) if at < count)
            scale = max(scale, space / (across[other] - across[one]))
    return scale
