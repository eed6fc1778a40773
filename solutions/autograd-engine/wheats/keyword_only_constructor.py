"""The constructor takes nothing but the number by position; children, operation and label by keyword."""

import math


class Value:
    def __init__(self, data, *, children=(), operation="", label=None, **more):
        self.data = data
        self.grad = 0.0
        self.label = label
        self._prev = children
        self._op = operation
        self._backward = lambda: None
        self.__dict__.update(more)

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(data=other, label="constant")
        out = Value(self.data + other.data, children=(self, other), operation="+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(data=other, label="constant")
        out = Value(self.data * other.data, children=(self, other), operation="*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), children=(self,), operation="tanh", bounded=True)

        def _backward():
            self.grad += (1 - out.data**2) * out.grad

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
