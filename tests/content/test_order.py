"""``backward_order`` of the reference solution, on random graphs."""

from __future__ import annotations

import random
import runpy
from collections.abc import Callable
from typing import Any

import pytest

from autograder.course import Assignment
from tests.course_modules import assignment_module

draw_random_graph = assignment_module("autograd-engine", "other_suites", "random_graphs").draw_random_graph
GRAPHS = 500


class Node:
    """All that the sort may know of a node."""

    def __init__(self, operands: tuple[Node, ...] = ()) -> None:
        self._prev = operands


@pytest.fixture(scope="module")
def backward_order(sorting: Assignment) -> Callable[[Any], list[Any]]:
    """The reference solution's function."""
    found: Callable[[Any], list[Any]] = runpy.run_path(str(sorting.solution_file))["backward_order"]
    return found


def graph_of_nodes(seed: int) -> list[Node]:
    """The shape of a random expression, result last; operands stand in either order."""
    chance = random.Random(seed)
    graph = draw_random_graph(seed, operations=20)
    nodes = [Node() for _ in graph.leaves]
    for step in graph.steps:
        operands = [nodes[place] for place in ((step.a, step.b) if "b" in step.form else (step.a,))]
        chance.shuffle(operands)
        nodes.append(Node(tuple(operands)))
    return nodes


def test_every_node_comes_once_and_after_all_nodes_that_use_it(
    backward_order: Callable[[Any], list[Any]],
) -> None:
    for seed in range(GRAPHS):
        nodes = graph_of_nodes(seed)
        order = backward_order(nodes[-1])
        assert len(order) == len(nodes)
        place = {node: position for position, node in enumerate(order)}
        assert place.keys() == set(nodes)
        assert all(place[node] < place[operand] for node in nodes for operand in node._prev)


def test_nodes_above_the_start_are_left_out(backward_order: Callable[[Any], list[Any]]) -> None:
    for seed in range(GRAPHS):
        nodes = graph_of_nodes(seed)
        below: set[Node] = set()
        waiting = [nodes[len(nodes) // 2]]
        while waiting:
            node = waiting.pop()
            below.add(node)
            waiting += node._prev
        order = backward_order(nodes[len(nodes) // 2])
        assert len(order) == len(below)
        assert set(order) == below
