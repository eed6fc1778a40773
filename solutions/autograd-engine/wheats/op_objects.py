"""`_backward` is an object of class Op that can be called."""

import math


class Op:
    def __init__(self, out, operands, slopes):
        self.out, self.operands, self.slopes = out, operands, slopes

    def __call__(self):
        for operand, slope in zip(self.operands, self.slopes, strict=True):
            operand.grad += slope * self.out.grad


class Leaf:
    def __call__(self):
        return None


class Value:
    def __init__(self, data, prev=(), op="", slopes=()):
        self.data = data
        self.grad = 0.0
        self._prev = prev
        self._op = op
        self._backward = Op(self, prev, slopes) if prev else Leaf()

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), "+", (1.0, 1.0))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), "*", (other.data, self.data))

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, (self,), "tanh", (1.0 - t * t,))

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
