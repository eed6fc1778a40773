"""The reference engine and PyTorch agree: numbers, gradients of every node, and how often a gradient counts."""

from __future__ import annotations

import runpy
from collections.abc import Iterable, Sequence
from math import isclose
from typing import Any

import pytest

from autograder.course import Assignment
from tests.course_modules import assignment_module

torch: Any = None


@pytest.fixture(scope="module", autouse=True)
def imported() -> None:
    """Import PyTorch, which takes seconds, for these tests, and not while tests are collected."""
    found = pytest.importorskip("torch", reason="PyTorch is not installed: pip install -e '.[torch]'")
    globals().update(torch=found)


make_micrograd_examples = assignment_module("autograd-engine", "other_suites").make_micrograd_examples
draw_random_graph = assignment_module("autograd-engine", "other_suites", "random_graphs").draw_random_graph
GRAPHS = 500
TOLERANCE = 1e-12
"""Relative where a number is larger than 1, absolute below: both sides compute with the same 64-bit floats, and their
tanh, exp and powers differ in the last digits at most."""


@pytest.fixture(scope="module")
def engine_class(engine: Assignment) -> Any:
    """The reference solution's ``Value``."""
    return runpy.run_path(str(engine.solution_file))["Value"]


def tensors(numbers: Iterable[float]) -> list[Any]:
    """Leaves in PyTorch, with Python's precision."""
    return [torch.tensor(number, dtype=torch.float64, requires_grad=True) for number in numbers]


def agree(ours: float, theirs: Any) -> bool:
    return isclose(ours, theirs.item(), rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def worked_example(leaves: Sequence[Any]) -> Any:
    """``L`` of the handout."""
    a, b, c = leaves
    return (a * b + c) * (a + b)


def gradients_of_a(leaves: Sequence[Any], **options: Any) -> list[float]:
    """The gradient of ``a`` after one, two and three calls of ``backward()``."""
    result = worked_example(leaves)
    gradients = []
    for _ in range(3):
        result.backward(**options)
        gradients.append(float(leaves[0].grad))
    return gradients


@pytest.mark.parametrize("first", range(0, GRAPHS, 100))
def test_every_number_and_gradient_of_a_random_graph_is_pytorchs(engine_class: Any, first: int) -> None:
    for seed in range(first, first + 100):
        graph = draw_random_graph(seed)
        ours = graph.evaluate_with_leaves([engine_class(number) for number in graph.leaves])
        theirs = graph.evaluate_with_leaves(tensors(graph.leaves))
        for node in theirs:
            node.retain_grad()  # nodes in between keep theirs only if asked to
        ours[-1].backward()
        theirs[-1].backward()
        wrong = [
            (seed, place, node.data, node.grad, twin)
            for place, (node, twin) in enumerate(zip(ours, theirs, strict=True))
            if not (agree(node.data, twin) and agree(node.grad, twin.grad))
        ]
        assert wrong == []


def test_a_second_backward_gives_81_here_and_44_in_pytorch(engine_class: Any) -> None:
    ours = gradients_of_a([engine_class(number) for number in (2.0, 3.0, 1.0)])
    theirs = gradients_of_a(tensors((2.0, 3.0, 1.0)), retain_graph=True)
    assert ours[:2] == [22.0, 81.0]
    assert theirs[:2] == [22.0, 44.0]


def test_zero_grad_between_two_backwards_makes_engine_and_pytorch_agree(engine_class: Any) -> None:
    leaves, twins = [engine_class(number) for number in (2.0, 3.0, 1.0)], tensors((2.0, 3.0, 1.0))
    ours, theirs = worked_example(leaves), worked_example(twins)
    for _ in range(2):
        ours.zero_grad()
        for twin in twins:
            twin.grad = None
        ours.backward()
        theirs.backward(retain_graph=True)
        assert [leaf.grad for leaf in leaves] == [float(twin.grad) for twin in twins] == [22.0, 17.0, 5.0]


@pytest.mark.parametrize("example", make_micrograd_examples(), ids=lambda example: example.build.__name__)
def test_the_numbers_in_our_copy_of_micrograds_tests_are_pytorchs(example: Any) -> None:
    result, leaves = example.build(tensors)
    result.backward()
    assert agree(example.data, result)
    assert len(example.gradients) == len(leaves)
    assert all(agree(number, leaf.grad) for number, leaf in zip(example.gradients, leaves, strict=True))
