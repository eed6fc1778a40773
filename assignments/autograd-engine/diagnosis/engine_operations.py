"""List operations that programs are made of: how they are written, what they give, and their local derivatives."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class StepKind:
    """One kind of step."""

    required_names: tuple[str, ...]
    """The special methods without which it cannot be written."""
    text: str
    """As a student writes it; ``{0}`` and ``{1}`` are the nodes, ``{n}`` the plain number."""
    operand_count: int
    apply_to_nodes: Callable[..., Any]
    """Of the nodes, then the number if there is one: on a student's objects, or on plain floats."""
    compute_local_derivatives: Callable[..., tuple[float, ...]]
    """The local derivative with respect to each node, given the same arguments as plain floats."""
    example_numbers: tuple[float, ...] = ()
    """Plain numbers to use it with; none if it takes none."""
    is_exact: bool = True
    """Whether floats give it without rounding, for the small numbers used here."""
    on_floats: Callable[..., float] | None = None
    """In place of ``apply_to_nodes`` for plain floats, which have no such method."""

    def evaluate_on_floats(self, arguments: Sequence[float]) -> float:
        """Return the number that the operation gives for plain floats.

        Raises:
            ArithmeticError, ValueError: it gives none for these.
        """
        value: float = (self.on_floats or self.apply_to_nodes)(*arguments)
        return value


def _relu(x: float) -> float:
    if x == 0:
        raise ValueError("any slope from 0 to 1 would be right")
    return max(x, 0.0)


def _tanh(x: float) -> float:
    if abs(x) > MOST_BENT:
        raise ValueError("1 - tanh**2 has few digits left")
    return math.tanh(x)


def _exp(x: float) -> float:
    if abs(x) > MOST_BENT:
        raise ValueError("large enough to drown others' digits")
    return math.exp(x)


MOST_BENT = 4.0
NUMBERS = (5, 2.5)

OPERATIONS: dict[str, StepKind] = {
    "add": StepKind(("__add__",), "{0} + {1}", 2, operator.add, lambda x, y: (1.0, 1.0)),
    "mul": StepKind(("__mul__",), "{0} * {1}", 2, operator.mul, lambda x, y: (y, x)),
    "tanh": StepKind(
        ("tanh",), "{0}.tanh()", 1, lambda x: x.tanh(), lambda x: (1 - math.tanh(x) ** 2,), (), False, _tanh
    ),
    "add number": StepKind(("__add__",), "{0} + {n}", 1, operator.add, lambda x, n: (1.0,), NUMBERS),
    "mul number": StepKind(("__mul__",), "{0} * {n}", 1, operator.mul, lambda x, n: (n,), NUMBERS),
    "sub": StepKind(("__sub__",), "{0} - {1}", 2, operator.sub, lambda x, y: (1.0, -1.0)),
    "neg": StepKind(("__neg__",), "-{0}", 1, operator.neg, lambda x: (-1.0,)),
    "number add": StepKind(
        ("__radd__",), "{n} + {0}", 1, lambda x, n: n + x, lambda x, n: (1.0,), NUMBERS
    ),
    "number mul": StepKind(
        ("__rmul__",), "{n} * {0}", 1, lambda x, n: n * x, lambda x, n: (n,), NUMBERS
    ),
    "sub number": StepKind(("__sub__",), "{0} - {n}", 1, operator.sub, lambda x, n: (1.0,), NUMBERS),
    "number sub": StepKind(
        ("__rsub__",), "{n} - {0}", 1, lambda x, n: n - x, lambda x, n: (-1.0,), NUMBERS
    ),
    "pow": StepKind(
        ("__pow__",), "{0} ** {n}", 1, operator.pow, lambda x, n: (n * x ** (n - 1),), (2, 3, -1), False
    ),
    "div": StepKind(
        ("__truediv__",), "{0} / {1}", 2, operator.truediv, lambda x, y: (1 / y, -x / y**2), (), False
    ),
    "div number": StepKind(
        ("__truediv__",), "{0} / {n}", 1, operator.truediv, lambda x, n: (1 / n,), NUMBERS, False
    ),
    "number div": StepKind(
        ("__rtruediv__",), "{n} / {0}", 1, lambda x, n: n / x, lambda x, n: (-n / x**2,), NUMBERS, False
    ),
    "exp": StepKind(("exp",), "{0}.exp()", 1, lambda x: x.exp(), lambda x: (math.exp(x),), (), False, _exp),
    "relu": StepKind(("relu",), "{0}.relu()", 1, lambda x: x.relu(), lambda x: (float(x > 0),), (), True, _relu),
}  # fmt: skip
CORE = ("add", "mul", "tanh", "add number", "mul number")
"""What the contract asks for; the others are a bonus."""
ONE_NODE = ("add", "mul", "add number", "mul number")
"""Operations that are one node in every engine. The others may be built from several, and then a second
``backward()`` finds gradients on nodes in between that the program does not know of."""
BENT = ("tanh", "exp")
"""Operations that want small numbers."""


def list_available_operations(names: frozenset[str]) -> tuple[str, ...]:
    """Return the operations that an engine with these attributes has, the contract's first."""
    return tuple(name for name, operation in OPERATIONS.items() if names.issuperset(operation.required_names))
