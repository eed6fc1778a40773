"""Operands are checked with numbers.Real; anything else is refused with NotImplemented."""

import math
from numbers import Real


class Value:
    def __init__(self, data, prev=(), op=""):
        if not isinstance(data, Real):
            raise TypeError(f"a Value holds a number, not {type(data).__name__}")
        self.data = data
        self.grad = 0.0
        self._prev = prev
        self._op = op
        self._backward = lambda: None

    def __add__(self, other):
        if isinstance(other, Real):
            other = Value(other)
        elif not isinstance(other, Value):
            return NotImplemented
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        if isinstance(other, Real):
            other = Value(other)
        elif not isinstance(other, Value):
            return NotImplemented
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad += (1 - t**2) * out.grad

        out._backward = _backward
        return out

    def _sorted(self):
        topo, visited = [], set()

        def build_topo(v):
            if v not in visited:
                visited.add(v)
                for child in v._prev:
                    build_topo(child)
                topo.append(v)

        build_topo(self)
        return topo

    def backward(self):
        self.grad = 1.0
        for node in reversed(self._sorted()):
            node._backward()

    def zero_grad(self):
        for node in self._sorted():
            node.grad = 0.0
