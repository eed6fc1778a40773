"""Recursion that stops at a node until all its users have been there: Kahn's algorithm without a queue."""

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

    def _count_uses(self, uses):
        for operand in self._prev:
            uses[operand] = uses.get(operand, 0) + 1
            if uses[operand] == 1:
                operand._count_uses(uses)
        return uses

    def _pass_on(self, uses):
        self._backward()
        for operand in self._prev:
            uses[operand] -= 1
            if uses[operand] == 0:
                operand._pass_on(uses)

    def backward(self):
        self.grad = 1.0
        self._pass_on(self._count_uses({}))

    def zero_grad(self):
        self.grad = 0.0
        for operand in self._count_uses({}):
            operand.grad = 0.0
