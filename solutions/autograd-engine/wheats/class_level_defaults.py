"""What all leaves have in common stands on the class; a node has attributes of its own once they differ."""

import math


class Value:
    grad = 0.0
    _prev = ()
    _op = ""

    def __init__(self, data):
        self.data = data

    def _backward(self):
        """Nothing, until an operation puts its own here."""

    def _made_by(self, op, operands, slopes):
        self._op = op
        self._prev = operands

        def pass_on():
            for operand, slope in zip(operands, slopes, strict=True):
                operand.grad += slope * self.grad

        self._backward = pass_on
        return self

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data)._made_by("+", (self, other), (1.0, 1.0))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data)._made_by("*", (self, other), (other.data, self.data))

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t)._made_by("tanh", (self,), (1 - t * t,))

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
