"""minitorch's way: a history with last function, context and inputs; chain_rule gives pairs; only leaves accumulate."""
from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


@dataclass
class Context:
    no_grad: bool = False
    saved_values: tuple = ()

    def save_for_backward(self, *values):
        self.saved_values = values


class ScalarFunction:
    pass


class Add(ScalarFunction):
    def forward(ctx: Context, a: float, b: float) -> float:
        return a + b

    def backward(ctx: Context, d: float):
        return d, d


class Mul(ScalarFunction):
    def forward(ctx: Context, a: float, b: float) -> float:
        ctx.save_for_backward(a, b)
        return a * b

    def backward(ctx: Context, d: float):
        a, b = ctx.saved_values
        return b * d, a * d


class Tanh(ScalarFunction):
    def forward(ctx: Context, a: float) -> float:
        t = math.tanh(a)
        ctx.save_for_backward(t)
        return t

    def backward(ctx: Context, d: float):
        return ((1.0 - ctx.saved_values[0] ** 2) * d,)


@dataclass
class ScalarHistory:
    last_fn: type[ScalarFunction] | None = None
    ctx: Context | None = None
    inputs: Sequence[Value] = field(default_factory=tuple)


class Value:
    _count = 0

    def __init__(self, v: float, back: ScalarHistory | None = None, name: str = "") -> None:
        Value._count += 1
        self.unique_id = Value._count
        self.data = v
        self.history = back or ScalarHistory()
        self.derivative = 0.0
        self.name = name
        self._prev = self.history.inputs
        self._op = self.history.last_fn.__name__ if self.history.last_fn else ""
        self._backward = self._accumulate_parents

    def __hash__(self) -> int:
        return hash(self.unique_id)

    @property
    def grad(self) -> float:
        return self.derivative

    @grad.setter
    def grad(self, d: float) -> None:
        self.derivative = d

    def is_leaf(self) -> bool:
        return not list(self._prev)

    def chain_rule(self, d: float) -> Iterable[tuple[Value, float]]:
        h = self.history
        if h.last_fn is None:
            return []
        return list(zip(h.inputs, h.last_fn.backward(h.ctx, d)))

    def _accumulate_parents(self) -> None:
        for parent, d in self.chain_rule(self.derivative):
            parent.derivative += d

    @classmethod
    def _apply(cls, fn, *vals) -> Value:
        scalars = tuple(v if isinstance(v, Value) else Value(v) for v in vals)
        ctx = Context()
        return Value(fn.forward(ctx, *[s.data for s in scalars]), ScalarHistory(fn, ctx, scalars))

    def __add__(self, b) -> Value:
        return self._apply(Add, self, b)

    def __mul__(self, b) -> Value:
        return self._apply(Mul, self, b)

    def tanh(self) -> Value:
        return self._apply(Tanh, self)

    def topological_sort(self) -> list[Value]:
        permanent, result = set(), []

        def visit(n: Value) -> None:
            if n.unique_id in permanent:
                return
            for m in n._prev:
                visit(m)
            permanent.add(n.unique_id)
            result.insert(0, n)

        visit(self)
        return result

    def backward(self, d_output: float = 1.0) -> None:
        order = self.topological_sort()
        for node in order:
            if not node.is_leaf():
                node.derivative = 0.0
        self.derivative = d_output
        for node in order:
            if not node.is_leaf():
                node._backward()

    def zero_grad(self) -> None:
        for node in self.topological_sort():
            node.derivative = 0.0
