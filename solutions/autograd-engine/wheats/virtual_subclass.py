"""Value is an ABC; nodes are of a class that is only registered with it."""
import math
from abc import ABC


class Value(ABC):
    def __new__(cls, data):
        return Number(data)


@Value.register
class Number:
    def __init__(self, data, prev=(), op=""):
        self.data, self.grad, self._prev, self._op = data, 0.0, prev, op
        self._backward = lambda: None

    def _binary(self, other, op, data, da, db):
        out = Number(data, (self, other), op)

        def step():
            self.grad += da * out.grad
            other.grad += db * out.grad

        out._backward = step
        return out

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return self._binary(other, "+", self.data + other.data, 1, 1)

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return self._binary(other, "*", self.data * other.data, other.data, self.data)

    def tanh(self):
        t = math.tanh(self.data)
        out = Number(t, (self,), "tanh")

        def step():
            self.grad += (1 - t * t) * out.grad

        out._backward = step
        return out

    def _topo(self):
        order, seen = [], set()

        def visit(n):
            if n not in seen:
                seen.add(n)
                [visit(p) for p in n._prev]
                order.append(n)

        visit(self)
        return order

    def backward(self):
        self.grad, order = 1.0, self._topo()
        for n in order[::-1]:
            n._backward()

    def zero_grad(self):
        for n in self._topo():
            n.grad = 0.0
