"""No sort of the graph: every node has a number from a counter, and the youngest goes first."""

import itertools
import math


class Value:
    _counter = itertools.count()

    def __init__(self, data, _children=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._prev = tuple(_children)
        self._op = _op
        self._backward = lambda: None
        self._born = next(Value._counter)

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

    def _reachable(self):
        found, waiting = {self}, [self]
        while waiting:
            new = set(waiting.pop()._prev) - found
            found |= new
            waiting.extend(new)
        return sorted(found, key=lambda node: node._born)

    def backward(self):
        self.grad = 1.0
        for node in reversed(self._reachable()):
            node._backward()

    def zero_grad(self):
        for node in self._reachable():
            node.grad = 0.0
