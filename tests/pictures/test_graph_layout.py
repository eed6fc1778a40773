"""Nodes are placed in layers: nothing overlaps, users stand above what they use, and every edge has a way."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from autograder.pictures.graph_drawing import Edge, LayoutMetrics, compute_graph_layout


@st.composite
def graphs(draw: st.DrawFn) -> tuple[LayoutMetrics, list[Edge]]:
    """Up to 12 nodes, each of which uses up to three earlier ones; there may be several pieces."""
    heights = draw(st.lists(st.sampled_from([40.0, 80.0]), min_size=1, max_size=12))
    edges = [
        (user, used)
        for user in range(1, len(heights))
        for used in draw(st.lists(st.integers(0, user - 1), max_size=3))
    ]
    return LayoutMetrics(width=100, heights=heights, gap_across=20, gap_down=40), edges


@given(graphs())
def test_nodes_do_not_overlap_and_stay_inside(graph: tuple[LayoutMetrics, list[Edge]]) -> None:
    size, edges = graph
    layout = compute_graph_layout(edges, size)
    for (x, y), height in zip(layout.node_positions, size.heights, strict=True):
        assert 49.9 < x < layout.width - 49.9
        assert 0 <= y <= layout.height - height + 0.1
    for (x, y), (other_x, other_y) in itertools.combinations(layout.node_positions, 2):
        assert y != other_y or abs(x - other_x) > 119.9


@given(graphs())
def test_users_stand_above_what_they_use(graph: tuple[LayoutMetrics, list[Edge]]) -> None:
    size, edges = graph
    layout = compute_graph_layout(edges, size)
    for user, used in edges:
        assert layout.node_positions[user][1] + size.heights[user] < layout.node_positions[used][1]


@given(graphs())
def test_every_edge_goes_down_past_the_nodes_between(graph: tuple[LayoutMetrics, list[Edge]]) -> None:
    size, edges = graph
    layout = compute_graph_layout(edges, size)
    assert {*layout.routes} == {*edges}
    for route in layout.routes.values():
        assert [y for _, y in route] == sorted(y for _, y in route)
        for x, y in route:
            assert all(abs(x - node_x) > 50 for node_x, top in layout.node_positions if top == y)
