"""Make random expression graphs with shared nodes: the same for a seed, far from kinks and singular points."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

LEAVES = (-4.0, -3.0, -2.5, -1.5, -0.75, 0.75, 1.25, 2.0, 2.5, 3.0, 4.0, 5.0)
PLAIN = (-3, -2, 0.5, 2, 3)
EXPONENTS = (-2, -1, 0.5, 2, 3)
SMALLEST, LARGEST = 0.1, 20.0
"""Numbers between these, in size, are far from a division by zero, from relu's kink and from an overflow."""

FORMS: dict[str, Callable[[Any, Any, float], Any]] = {
    "a + b": lambda a, b, n: a + b,
    "a - b": lambda a, b, n: a - b,
    "a * b": lambda a, b, n: a * b,
    "a / b": lambda a, b, n: a / b,
    "a + n": lambda a, b, n: a + n,
    "n + a": lambda a, b, n: n + a,
    "a - n": lambda a, b, n: a - n,
    "n - a": lambda a, b, n: n - a,
    "a * n": lambda a, b, n: a * n,
    "n * a": lambda a, b, n: n * a,
    "a / n": lambda a, b, n: a / n,
    "n / a": lambda a, b, n: n / a,
    "a ** n": lambda a, b, n: a**n,
    "-a": lambda a, b, n: -a,
    "a.tanh()": lambda a, b, n: math.tanh(a) if isinstance(a, float) else a.tanh(),
    "a.exp()": lambda a, b, n: math.exp(a) if isinstance(a, float) else a.exp(),
    "a.relu()": lambda a, b, n: max(a, 0.0) if isinstance(a, float) else a.relu(),
}
"""What a step can be: of two nodes ``a`` and ``b`` (which may be the same), and of a plain number ``n``."""
DRAWN = (*FORMS, *["a + b", "a * b"] * 4, "a - b", "a / b", "a ** n", "a.tanh()", "a.exp()", "a.relu()")
"""Each is as likely as it is here often."""
DEEPER = 0.6
"""How often a step goes on from the newest node, which makes graphs deep; otherwise they would be wide."""


@dataclass(frozen=True, slots=True)
class RandomStep:
    """One operation."""

    form: str
    """A key of ``FORMS``."""
    a: int
    """The position of an earlier node; so is ``b``, which equals ``a`` where the form has no ``b``."""
    b: int
    n: float

    def apply_operation(self, nodes: Sequence[Any]) -> Any:
        """Return the new node, made from those before it."""
        return FORMS[self.form](nodes[self.a], nodes[self.b], self.n)


@dataclass(frozen=True, slots=True)
class RandomGraph:
    """An expression: leaves first, then a node for each step; the last one depends on all others."""

    leaves: tuple[float, ...]
    steps: tuple[RandomStep, ...]

    def evaluate_with_leaves(self, leaves: Sequence[Any]) -> list[Any]:
        """Return all nodes, over leaves of any kind: floats, a student's values, anything with the same operators."""
        nodes = [*leaves]
        for step in self.steps:
            nodes.append(step.apply_operation(nodes))
        return nodes

    def estimate_gradients(self, h: float = 1e-6) -> tuple[float, ...]:
        """Return the result's derivative by each leaf, from central differences: right to about 1e-7 of its size."""
        slopes = []
        for place, number in enumerate(self.leaves):
            moved = ([*self.leaves[:place], number + step, *self.leaves[place + 1 :]] for step in (h, -h))
            above, below = (self.evaluate_with_leaves(leaves)[-1] for leaves in moved)
            slopes.append((above - below) / (2 * h))
        return tuple(slopes)


def draw_random_graph(seed: int, leaves: int = 4, operations: int = 10) -> RandomGraph:
    """Draw a graph of distinct leaves and operations; a few sums and differences join the loose nodes.

    Args:
        seed: decides everything.
        leaves: how many leaves, from 1 to 12.
        operations: how many come before those; their operands are drawn from all nodes so far, so many are shared.
    """
    chance = random.Random(seed)
    numbers: list[float] = chance.sample(LEAVES, leaves)
    own, steps = tuple(numbers), list[RandomStep]()
    while len(steps) < operations:
        step = _random_step(chance, len(numbers))
        if _is_tame(step, numbers):
            numbers.append(step.apply_operation(numbers))
            steps.append(step)
    used = {place for step in steps for place in (step.a, step.b)}
    loose = [place for place in range(len(numbers)) if place not in used]
    end = len(numbers) - 1
    for place in loose[:-1]:  # the last node is always loose
        steps.append(RandomStep(chance.choice(("a + b", "a - b")), end, place, 0.0))
        end = len(own) + len(steps) - 1
    return RandomGraph(own, tuple(steps))


def _random_step(chance: random.Random, count: int) -> RandomStep:
    form = chance.choice(DRAWN)
    a = count - 1 if chance.random() < DEEPER else chance.randrange(count)
    b = chance.randrange(count)
    n = chance.choice(EXPONENTS if form == "a ** n" else PLAIN)
    return RandomStep(form, a, b if "b" in form else a, n)


def _is_tame(step: RandomStep, numbers: Sequence[float]) -> bool:
    """Return whether the step is defined there, and its number far from where derivatives jump or explode."""
    try:
        number = step.apply_operation(numbers)
    except ArithmeticError:
        return False
    if step.form == "a.relu()":
        return abs(numbers[step.a]) >= SMALLEST  # its result may be 0
    return isinstance(number, float) and SMALLEST <= abs(number) <= LARGEST  # a root may be complex
