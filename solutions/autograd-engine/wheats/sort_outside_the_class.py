"""The sort is a recursive function outside the class that both methods use."""

import math


def topological_order(node, visited=None, order=None):
    visited = set() if visited is None else visited
    order = [] if order is None else order
    if node not in visited:
        visited.add(node)
        for operand in node._prev:
            topological_order(operand, visited, order)
        order.append(node)
    return order


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

    def backward(self):
        self.grad = 1.0
        for node in reversed(topological_order(self)):
            node._backward()

    def zero_grad(self):
        for node in topological_order(self):
            node.grad = 0.0
