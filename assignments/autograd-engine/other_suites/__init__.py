"""Write others' tests of such engines for a student's class behind the bridge, to measure this kit's suite by."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.author_checks.comparison import ComparisonSuite
from autograder.bridge import StudentProxy

from .random_graphs import RandomGraph, draw_random_graph

Make = Callable[[Sequence[float]], Sequence[Any]]
"""Makes leaves of numbers."""
GRAPHS = 100


@dataclass(frozen=True, slots=True)
class SuiteExample:
    """An expression, and what its number and the gradients of its leaves are after one ``backward()``."""

    build: Callable[[Make], tuple[Any, Sequence[Any]]]
    """Given what makes leaves, the result and the leaves."""
    data: float
    gradients: tuple[float, ...]
    tolerance: float
    """How far each number may be from what it should be; relative where that is larger than 1. 0: not at all."""

    def is_passed_by(self, student: StudentProxy) -> bool:
        """Return whether a student's ``Value`` gets all of it right; raise what it raises, or makes Python raise."""
        result, leaves = self.build(lambda numbers: student.make_all(student.get("Value"), numbers))
        result.backward()
        got = (result.data, *student.get_attributes(leaves, "grad"))
        return all(self._is_close(*pair) for pair in zip(got, (self.data, *self.gradients), strict=True))

    def _is_close(self, got: object, expected: float) -> bool:
        return isinstance(got, int | float) and abs(got - expected) <= self.tolerance * max(1.0, abs(expected))


def build_micrograd_sanity_check(make: Make) -> tuple[Any, Sequence[Any]]:
    """Build the expression of micrograd's ``test_sanity_check``: one leaf, used many times."""
    (x,) = make([-4.0])
    z = 2 * x + 2 + x
    q = z.relu() + z * x
    h = (z * z).relu()
    y = h + q + q * x
    return y, [x]


def build_micrograd_more_ops(make: Make) -> tuple[Any, Sequence[Any]]:
    """Build the expression of micrograd's ``test_more_ops``: every operator it has."""
    a, b = make([-4.0, 2.0])
    c = a + b
    d = a * b + b**3
    c += c + 1
    c += 1 + c + (-a)
    d += d * 2 + (b + a).relu()
    d += 3 * d + (b - a).relu()
    e = c - d
    f = e**2
    g = f / 2.0
    g += 10.0 / f
    return g, [a, b]


def make_micrograd_examples() -> tuple[SuiteExample, ...]:
    """Give the two tests of ``test/test_engine.py`` in https://github.com/karpathy/micrograd (MIT, Andrej Karpathy).

    There, PyTorch computes the expected numbers, and the second test allows 1e-6. The numbers here are PyTorch's.
    """
    return (
        SuiteExample(build_micrograd_sanity_check, -20.0, (46.0,), 0.0),
        SuiteExample(build_micrograd_more_ops, 24.70408163265306, (138.83381924198252, 645.5772594752186), 1e-8),
    )


@functools.cache
def make_gradient_check_examples() -> tuple[SuiteExample, ...]:
    """Make random expressions with shared nodes; compare gradients with central differences of plain floats."""
    examples = []
    for seed in range(GRAPHS):
        graph = draw_random_graph(seed)

        def build(make: Make, graph: RandomGraph = graph) -> tuple[Any, Sequence[Any]]:
            leaves = make(graph.leaves)
            return graph.evaluate_with_leaves(leaves)[-1], leaves

        examples.append(
            SuiteExample(build, graph.evaluate_with_leaves(graph.leaves)[-1], graph.estimate_gradients(), 1e-6)
        )
    return tuple(examples)


SUITES = (
    ComparisonSuite("micrograd's own tests", make_micrograd_examples),
    ComparisonSuite(f"gradient check on {GRAPHS} random graphs", make_gradient_check_examples),
)
