"""Random expression graphs: the same every time, full of shared nodes, and with slopes that can be relied on."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest

from tests.course_modules import assignment_module

MODULE = assignment_module("autograd-engine", "other_suites", "random_graphs")
FORMS, RandomGraph, RandomStep = MODULE.FORMS, MODULE.RandomGraph, MODULE.RandomStep
draw_random_graph = MODULE.draw_random_graph
GRAPHS = [draw_random_graph(seed) for seed in range(100)]


def uses(graph: Any) -> Counter[int]:
    """How often each node is an operand."""
    return Counter(place for step in graph.steps for place in ((step.a, step.b) if "b" in step.form else (step.a,)))


def test_the_same_seed_gives_the_same_graph() -> None:
    assert draw_random_graph(7) == draw_random_graph(7)
    assert len(set(GRAPHS)) == len(GRAPHS)


def test_a_graph_has_as_many_leaves_as_asked_and_at_least_as_many_operations() -> None:
    graph = draw_random_graph(1, leaves=6, operations=20)
    assert len(graph.leaves) == 6
    assert len(graph.steps) >= 20


def test_leaves_are_distinct() -> None:
    assert all(len(set(graph.leaves)) == len(graph.leaves) for graph in GRAPHS)


def test_every_operation_occurs() -> None:
    assert {step.form for graph in GRAPHS for step in graph.steps} == set(FORMS)


def test_most_graphs_use_some_nodes_more_than_once() -> None:
    shared = [sum(count > 1 for count in uses(graph).values()) for graph in GRAPHS]
    assert sum(count >= 2 for count in shared) > 80


def test_some_operations_use_one_node_twice() -> None:
    assert any(step.a == step.b and "b" in step.form for graph in GRAPHS for step in graph.steps)


def test_every_node_but_the_last_is_used() -> None:
    for graph in GRAPHS:
        assert set(uses(graph)) == set(range(len(graph.leaves) + len(graph.steps) - 1))


def test_all_numbers_are_finite_and_small() -> None:
    for graph in GRAPHS:
        assert all(
            isinstance(number, float) and abs(number) < 200 for number in graph.evaluate_with_leaves(graph.leaves)
        )


def test_a_relu_is_met_on_both_sides_and_never_at_its_kink() -> None:
    inputs = [
        graph.evaluate_with_leaves(graph.leaves)[step.a]
        for graph in GRAPHS
        for step in graph.steps
        if step.form == "a.relu()"
    ]
    assert min(abs(number) for number in inputs) >= 0.1
    assert min(inputs) < 0 < max(inputs)


def test_slopes_are_derivatives() -> None:
    graph = RandomGraph(
        (2.0, 3.0, 0.5),
        (RandomStep("a * b", 0, 1, 0.0), RandomStep("a.tanh()", 2, 2, 0.0), RandomStep("a * b", 3, 4, 0.0)),
    )
    t = math.tanh(0.5)
    assert graph.evaluate_with_leaves(graph.leaves)[-1] == 6 * t
    assert graph.estimate_gradients() == pytest.approx((3 * t, 2 * t, 6 * (1 - t * t)), rel=1e-8)
