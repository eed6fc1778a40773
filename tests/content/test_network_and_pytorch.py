"""The reference network and PyTorch agree: outputs, gradients of every parameter, and losses step by step."""

from __future__ import annotations

import random
import runpy
from collections.abc import Sequence
from math import isclose
from types import SimpleNamespace
from typing import Any

import pytest

from autograder.course import Course

torch: Any = None


@pytest.fixture(scope="module", autouse=True)
def imported() -> None:
    """Import PyTorch, which takes seconds, for these tests, and not while tests are collected."""
    found = pytest.importorskip("torch", reason="PyTorch is not installed: pip install -e '.[torch]'")
    globals().update(torch=found)


TOLERANCE = 1e-10
"""Relative above 1, absolute below: sums of products in another order, and fifty steps one after the other."""
SIZES = [(2, [2, 1]), (2, [3, 2, 1]), (3, [4, 4, 1]), (1, [1]), (4, [5, 3, 3, 1])]


@pytest.fixture(scope="module")
def network(course: Course) -> Any:
    """What the reference solution defines."""
    (assignment,) = (one for one in course.assignments if one.name == "neural-network")
    return SimpleNamespace(**runpy.run_path(str(assignment.solution_file)))


def agree(ours: float, theirs: float) -> bool:
    return isclose(ours, theirs, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


class TorchNet:
    """The same network in PyTorch, from the reference's numbers."""

    def __init__(self, net: Any) -> None:
        self.layers = [
            (
                torch.tensor(
                    [[w.data for w in neuron.w] for neuron in layer.neurons], dtype=torch.float64, requires_grad=True
                ),
                torch.tensor([neuron.b.data for neuron in layer.neurons], dtype=torch.float64, requires_grad=True),
            )
            for layer in net.layers
        ]
        self.optimizer = torch.optim.SGD([tensor for pair in self.layers for tensor in pair], lr=0.02)

    def loss(self, xs: Sequence[Sequence[float]], ys: Sequence[float]) -> Any:
        values = torch.tensor(xs, dtype=torch.float64)
        for depth, (weights, biases) in enumerate(self.layers):
            values = values @ weights.T + biases
            values = values if depth == len(self.layers) - 1 else torch.tanh(values)
        return torch.nn.functional.mse_loss(values[:, 0], torch.tensor(ys, dtype=torch.float64))

    def flat(self, what: str) -> list[float]:
        """Numbers or gradients of all parameters, in the order of the reference's ``parameters()``."""
        found = []
        for weights, biases in self.layers:
            rows, last = (weights.grad, biases.grad) if what == "grad" else (weights, biases)
            found += [
                number for row, bias in zip(rows.tolist(), last.tolist(), strict=True) for number in (*row, bias)
            ]
        return found


def example(network: Any, sizes: tuple[int, list[int]]) -> tuple[Any, list[list[float]], list[float]]:
    """A network with random weights and biases, and eight points."""
    draw = random.Random(str(sizes))
    net = network.MLP(*sizes)
    for parameter in net.parameters():
        parameter.data = draw.uniform(-1, 1)
    xs = [[draw.uniform(-2, 2) for _ in range(sizes[0])] for _ in range(8)]
    return net, xs, [draw.uniform(-2, 2) for _ in range(8)]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_loss_and_gradients_agree(network: Any, sizes: tuple[int, list[int]]) -> None:
    net, xs, ys = example(network, sizes)
    theirs = TorchNet(net)
    loss = network.mean_squared_error([net(x) for x in xs], ys)
    loss.backward()
    expected = theirs.loss(xs, ys)
    expected.backward()
    assert agree(loss.data, expected.item())
    gradients = [parameter.grad for parameter in net.parameters()]
    assert any(gradients)
    assert all(map(agree, gradients, theirs.flat("grad")))


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_losses_and_parameters_of_fifty_steps_agree(network: Any, sizes: tuple[int, list[int]]) -> None:
    net, xs, ys = example(network, sizes)
    theirs, expected = TorchNet(net), []
    losses = network.train(net, xs, ys, 50, 0.02)
    for _ in range(50):
        loss = theirs.loss(xs, ys)
        theirs.optimizer.zero_grad()
        loss.backward()
        theirs.optimizer.step()
        expected.append(loss.item())
    assert losses[-1] < losses[0]
    assert all(map(agree, losses, expected))
    assert all(map(agree, (parameter.data for parameter in net.parameters()), theirs.flat("data")))
