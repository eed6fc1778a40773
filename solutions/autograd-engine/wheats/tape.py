"""A tape of all nodes in the order they were made; `backward()` plays it back over those below the result."""

import math
import weakref

TAPE = []


class Value:
    def __init__(self, data, _children=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._prev = tuple(_children)
        self._op = _op
        self._backward = lambda: None
        TAPE.append(weakref.ref(self))

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

    def _below(self):
        below = set()
        waiting = [self]
        while waiting:
            node = waiting.pop()
            if node not in below:
                below.add(node)
                waiting.extend(node._prev)
        return below

    def backward(self):
        below = self._below()
        self.grad = 1.0
        TAPE[:] = [entry for entry in TAPE if entry() is not None]
        for entry in reversed(TAPE):
            node = entry()
            if node in below:
                node._backward()

    def zero_grad(self):
        for node in self._below():
            node.grad = 0.0
