"""A result's number is computed when somebody asks for it, and then kept."""

import math


class Value:
    def __init__(self, data=None, prev=(), op="", compute=None):
        self._number = data
        self._compute = compute
        self.grad = 0.0
        self._prev = prev
        self._op = op
        self._backward = lambda: None

    @property
    def data(self):
        if self._number is None:
            self._number = self._compute()
        return self._number

    @data.setter
    def data(self, number):
        self._number = number

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(None, (self, other), "+", lambda: self.data + other.data)

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(None, (self, other), "*", lambda: self.data * other.data)

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        out = Value(None, (self,), "tanh", lambda: math.tanh(self.data))

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
