"""Nodes are sorted by depth, from a recursive function with functools.cache."""
import functools
import math


class Value:
    def __init__(self, data, prev=(), op=""):
        self.data, self.grad, self._prev, self._op = data, 0.0, prev, op
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
        out = Value(math.tanh(self.data), (self,), "tanh")

        def _backward():
            self.grad += (1 - out.data**2) * out.grad

        out._backward = _backward
        return out

    def _nodes(self):
        nodes = set()

        @functools.cache
        def depth(node):
            nodes.add(node)
            return 1 + max((depth(operand) for operand in node._prev), default=0)

        depth(self)
        return sorted(nodes, key=depth, reverse=True)

    def backward(self):
        nodes = self._nodes()
        self.grad = 1.0
        for node in nodes:
            node._backward()

    def zero_grad(self):
        for node in self._nodes():
            node.grad = 0.0
