"""Closures hold the result weakly, so that a graph has no cycles and is freed at once."""

import math
import weakref


class Value:
    def __init__(self, data, prev=(), op=""):
        self.data = data
        self.grad = 0.0
        self._prev = prev
        self._op = op
        self._backward = lambda: None

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")
        result = weakref.ref(out)

        def _backward():
            self.grad += result().grad
            other.grad += result().grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")
        result = weakref.proxy(out)

        def _backward():
            self.grad += other.data * result.grad
            other.grad += self.data * result.grad

        out._backward = _backward
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")
        result = weakref.ref(out)

        def _backward():
            self.grad += (1 - t**2) * result().grad

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
