from __future__ import annotations

import math
from typing import TYPE_CHECKING, Callable, Generic, Iterable, List, Optional, Set, TypeVar, Union, overload

if TYPE_CHECKING:
    from typing_extensions import Self, TypeAlias

Number = Union[int, float]
N = TypeVar("N", int, float)
Operand: TypeAlias = "Union[Value[N], Number]"


class Value(Generic[N]):
    data: N
    grad: float
    _prev: frozenset[Value[N]]

    def __init__(self, data: N, _prev: Iterable[Value[N]] = (), _op: Optional[str] = None) -> None:
        self.data = data
        self.grad = 0.0
        self._prev = frozenset(_prev)
        self._op: str = _op or ""
        self._backward: Callable[[], None] = lambda: None

    def __repr__(self) -> str:
        return f"{type(self).__name__}(data={self.data}, grad={self.grad})"

    @overload
    def __add__(self, other: Value[N]) -> Value[N]: ...
    @overload
    def __add__(self, other: Number) -> Value[N]: ...
    def __add__(self, other: Operand) -> Value[N]:
        right: Value[N] = other if isinstance(other, Value) else Value[N](other)
        out: Value[N] = Value[N](self.data + right.data, (self, right), "+")

        def _backward() -> None:
            self.grad += out.grad
            right.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other: Operand) -> Value[N]:
        right: Value[N] = other if isinstance(other, Value) else Value[N](other)
        out: Value[N] = Value[N](self.data * right.data, (self, right), "*")

        def _backward() -> None:
            self.grad += right.data * out.grad
            right.grad += self.data * out.grad

        out._backward = _backward
        return out

    def tanh(self) -> Value[float]:
        out: Value[float] = Value(math.tanh(self.data), (self,), "tanh")

        def _backward() -> None:
            self.grad += (1.0 - out.data**2) * out.grad

        out._backward = _backward
        return out

    def topological_order(self) -> List[Value[N]]:
        order: List[Value[N]] = []
        visited: Set[Value[N]] = set()

        def visit(node: Value[N]) -> None:
            if node in visited:
                return
            visited.add(node)
            for operand in node._prev:
                visit(operand)
            order.append(node)

        visit(self)
        return order

    def backward(self) -> None:
        self.grad = 1.0
        for node in reversed(self.topological_order()):
            node._backward()

    def zero_grad(self: Self) -> None:
        for node in self.topological_order():
            node.grad = 0.0
