"""Random expression graphs: as large as asked, and with slopes that can be relied on."""

from __future__ import annotations

import math

import pytest

from tests.course_modules import assignment_module

MODULE = assignment_module("autograd-engine", "other_suites", "random_graphs")
FORMS, RandomGraph, RandomStep = MODULE.FORMS, MODULE.RandomGraph, MODULE.RandomStep
draw_random_graph = MODULE.draw_random_graph
GRAPHS = [draw_random_graph(seed) for seed in range(100)]


def test_a_graph_has_as_many_leaves_as_asked_and_at_least_as_many_operations() -> None:
    graph = draw_random_graph(1, leaves=6, operations=20)
    assert len(graph.leaves) == 6
    assert len(graph.steps) >= 20


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
