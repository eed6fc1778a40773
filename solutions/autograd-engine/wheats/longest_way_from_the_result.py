"""Nodes are ordered by their longest way from the result."""

import math
from collections import deque


class Value:
    def __init__(self, data, _children=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._prev = tuple(_children)
        self._op = _op
        self._backward = lambda: None

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
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

    def _levels(self):
        level = {self: 0}
        waiting = deque([self])
        while waiting:
            node = waiting.popleft()
            for operand in node._prev:
                if level.get(operand, -1) <= level[node]:
                    level[operand] = level[node] + 1
                    waiting.append(operand)
        return level

    def backward(self):
        level = self._levels()
        self.grad = 1.0
        for node in sorted(level, key=level.get):
            node._backward()

    def zero_grad(self):
        for node in self._levels():
            node.grad = 0.0
