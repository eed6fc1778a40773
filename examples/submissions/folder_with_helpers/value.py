"""Autograd. The walk over the graph is in graph.py."""

import math

from graph import operands_first


class Value:
    def __init__(self, data, _prev=frozenset(), _op=""):
        self.data = data
        self.grad = 0.0
        self._prev = frozenset(_prev)
        self._op = _op
        self._backward = do_nothing

    def __add__(self, other):
        other = as_value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = as_value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")

        def _backward():
            self.grad += (1 - out.data**2) * out.grad

        out._backward = _backward
        return out

    def backward(self):
        self.grad = 1.0
        for node in reversed(operands_first(self)):
            node._backward()

    def zero_grad(self):
        for node in operands_first(self):
            node.grad = 0.0


def do_nothing():
    pass


def as_value(x):
    return x if isinstance(x, Value) else Value(x)
