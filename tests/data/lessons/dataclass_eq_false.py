from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(eq=False)
class Value:
    """eq=False keeps the hash of a plain object, so that nodes can be put into sets."""

    data: float
    _prev: tuple[Value, ...] = ()
    _op: str = ""
    grad: float = field(default=0.0, init=False)
    _backward: Callable[[], None] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._backward = lambda: None

    def __add__(self, other: Value | float) -> Value:
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward() -> None:
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other: Value | float) -> Value:
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward() -> None:
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> Value:
        return self * -1.0

    def __sub__(self, other: Value | float) -> Value:
        return self + (other * -1.0)

    def relu(self) -> Value:
        out = Value(max(0.0, self.data), (self,), "relu")

        def _backward() -> None:
            self.grad += out.grad if out.data > 0 else 0.0

        out._backward = _backward
        return out

    def _topo(self) -> list[Value]:
        order: list[Value] = []
        visited: set[Value] = set()

        def visit(node: Value) -> None:
            if node not in visited:
                visited.add(node)
                for parent in node._prev:
                    visit(parent)
                order.append(node)

        visit(self)
        return order

    def backward(self) -> None:
        self.grad = 1.0
        for node in reversed(self._topo()):
            node._backward()

    def zero_grad(self) -> None:
        for node in self._topo():
            node.grad = 0.0
