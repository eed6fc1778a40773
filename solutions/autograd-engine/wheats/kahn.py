"""Kahn's algorithm: uses are counted, and a node is called when the last of them has paid."""

import math


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

    def _users_first(self):
        uses = {self: 0}
        waiting = [self]
        while waiting:
            for operand in waiting.pop()._prev:
                if operand not in uses:
                    uses[operand] = 0
                    waiting.append(operand)
                uses[operand] += 1
        ready = [self]
        while ready:
            node = ready.pop()
            yield node
            for operand in node._prev:
                uses[operand] -= 1
                if not uses[operand]:
                    ready.append(operand)

    def backward(self):
        self.grad = 1.0
        for node in self._users_first():
            node._backward()

    def zero_grad(self):
        for node in self._users_first():
            node.grad = 0.0
