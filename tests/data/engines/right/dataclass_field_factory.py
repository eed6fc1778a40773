from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Callable


@dataclass(eq=False, slots=True)
class Value:
    data: float
    grad: float = field(default=0.0, init=False)
    _prev: list[Value] = field(default_factory=list, repr=False)
    _op: str = ""
    _backward: Callable[[], None] = field(default_factory=lambda: (lambda: None), repr=False)

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, [self, other], "+")
        out._backward = lambda: add_to((self, out.grad), (other, out.grad))
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, [self, other], "*")
        out._backward = lambda: add_to((self, other.data * out.grad), (other, self.data * out.grad))
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), [self], "tanh")
        out._backward = lambda: add_to((self, (1 - out.data**2) * out.grad))
        return out

    def backward(self):
        order = post_order(self)
        self.grad = 1.0
        for node in reversed(order):
            node._backward()

    def zero_grad(self):
        for node in post_order(self):
            node.grad = 0.0


def add_to(*pairs):
    for node, amount in pairs:
        node.grad += amount


def post_order(root):
    order, seen, stack = [], set(), [(root, False)]
    while stack:
        node, done = stack.pop()
        if done:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((p, False) for p in node._prev)
    return order
