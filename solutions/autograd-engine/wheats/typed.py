"""Everything is annotated, with protocols, `Self` and `Final`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar, Final, Protocol, Self, TypeAlias

Number: TypeAlias = int | float


class Thunk(Protocol):
    def __call__(self) -> None: ...


def _nothing() -> None:
    return None


class Value:
    LEAF: ClassVar[Final[str]] = ""

    data: Number
    grad: float
    _prev: tuple[Value, ...]
    _op: str
    _backward: Thunk

    def __init__(self, data: Number, _prev: tuple[Value, ...] = (), _op: str = LEAF) -> None:
        self.data = data
        self.grad = 0.0
        self._prev = _prev
        self._op = _op
        self._backward = _nothing

    @classmethod
    def of(cls, other: Self | Number) -> Self:
        return other if isinstance(other, cls) else cls(other)

    def __add__(self, other: Value | Number) -> Value:
        right = Value.of(other)
        out = Value(self.data + right.data, (self, right), "+")

        def pass_on() -> None:
            self.grad += out.grad
            right.grad += out.grad

        out._backward = pass_on
        return out

    def __mul__(self, other: Value | Number) -> Value:
        right = Value.of(other)
        out = Value(self.data * right.data, (self, right), "*")

        def pass_on() -> None:
            self.grad += right.data * out.grad
            right.grad += self.data * out.grad

        out._backward = pass_on
        return out

    def tanh(self) -> Value:
        t: Final[float] = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def pass_on() -> None:
            self.grad += (1.0 - t * t) * out.grad

        out._backward = pass_on
        return out

    def _operands_first(self, seen: set[Value]) -> Iterator[Value]:
        if self not in seen:
            seen.add(self)
            for operand in self._prev:
                yield from operand._operands_first(seen)
            yield self

    def backward(self) -> None:
        self.grad = 1.0
        for node in reversed(list(self._operands_first(set()))):
            node._backward()

    def zero_grad(self) -> None:
        for node in self._operands_first(set()):
            node.grad = 0.0
