"""A node keeps pairs of operand and local derivative; one method passes gradients on for all operations."""

import math


class Value:
    def __init__(self, data, *edges, op=""):
        self.data = data
        self.grad = 0.0
        self._edges = edges
        self._prev = [operand for operand, _ in edges]
        self._op = op

    def _backward(self):
        for operand, derivative in self._edges:
            operand.grad += derivative * self.grad

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, 1), (other, 1), op="+")

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other.data), (other, self.data), op="*")

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, (self, 1 - t**2), op="tanh")

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
