"""Assignment: a scalar autograd engine, with the bonus part."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

Number = int | float


def _do_nothing() -> None:
    """What a leaf does when its turn comes."""


class Value:
    """One number in a computation, with the gradient of the final result in it."""

    def __init__(self, data: Number, _prev: Iterable[Value] = (), _op: str = "") -> None:
        self.data = data
        self.grad: float = 0.0
        self._prev = tuple(_prev)
        self._op = _op
        self._backward: Callable[[], None] = _do_nothing

    def __repr__(self) -> str:
        return f"Value(data={self.data:g}, grad={self.grad:g})"

    # ---- operations --------------------------------------------------------------------------

    @staticmethod
    def _wrap(x: Value | Number) -> Value:
        return x if isinstance(x, Value) else Value(x)

    def __add__(self, other: Value | Number) -> Value:
        other = self._wrap(other)
        out = Value(self.data + other.data, (self, other), "+")

        def push() -> None:
            self.grad += out.grad
            other.grad += out.grad

        out._backward = push
        return out

    def __mul__(self, other: Value | Number) -> Value:
        other = self._wrap(other)
        out = Value(self.data * other.data, (self, other), "*")

        def push() -> None:
            self.grad += out.grad * other.data
            other.grad += out.grad * self.data

        out._backward = push
        return out

    def __pow__(self, n: Number) -> Value:
        if not isinstance(n, (int, float)):
            raise TypeError("the exponent has to be a plain number")
        return self._unary(self.data**n, n * self.data ** (n - 1) if n else 0.0, f"**{n}")

    def exp(self) -> Value:
        e = math.exp(self.data)
        return self._unary(e, e, "exp")

    def tanh(self) -> Value:
        t = math.tanh(self.data)
        return self._unary(t, 1.0 - t * t, "tanh")

    def relu(self) -> Value:
        positive = self.data > 0
        return self._unary(self.data if positive else 0.0, 1.0 if positive else 0.0, "relu")

    def _unary(self, result: float, slope: float, name: str) -> Value:
        """A new node with one operand, where the derivative is known already."""
        out = Value(result, (self,), name)

        def push() -> None:
            self.grad += out.grad * slope

        out._backward = push
        return out

    # ---- everything else is made of those ------------------------------------------------------

    def __neg__(self) -> Value:
        return self * -1

    def __sub__(self, other: Value | Number) -> Value:
        return self + self._wrap(other) * -1

    def __truediv__(self, other: Value | Number) -> Value:
        return self * self._wrap(other) ** -1

    def __radd__(self, other: Number) -> Value:
        return self + other

    def __rmul__(self, other: Number) -> Value:
        return self * other

    def __rsub__(self, other: Number) -> Value:
        return self._wrap(other) - self

    def __rtruediv__(self, other: Number) -> Value:
        return self._wrap(other) / self

    # ---- the graph -----------------------------------------------------------------------------

    def _below(self) -> set[Value]:
        """Every node this one depends on, and the node itself."""
        seen = {self}
        todo = [self]
        while todo:
            for operand in todo.pop()._prev:
                if operand not in seen:
                    seen.add(operand)
                    todo.append(operand)
        return seen

    def _users_first(self) -> Iterator[Value]:
        """Kahn's algorithm: a node comes once all the nodes that use it have come."""
        waiting_for: dict[Value, int] = dict.fromkeys(self._below(), 0)
        for node in waiting_for:
            for operand in node._prev:
                waiting_for[operand] += 1
        ready = [self]
        while ready:
            node = ready.pop()
            yield node
            for operand in node._prev:
                waiting_for[operand] -= 1
                if not waiting_for[operand]:
                    ready.append(operand)

    def backward(self) -> None:
        self.grad = 1.0
        for node in self._users_first():
            node._backward()

    def zero_grad(self) -> None:
        for node in self._below():
            node.grad = 0.0
