"""Nodes are ordered by how many nodes lie below them: a user has more than any of its operands."""

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

    def _below(self, known):
        if self not in known:
            known[self] = {self}.union(*(operand._below(known) for operand in self._prev))
        return known[self]

    def backward(self):
        known = {}
        self._below(known)
        self.grad = 1.0
        for node in sorted(known, key=lambda node: len(known[node]), reverse=True):
            node._backward()

    def zero_grad(self):
        for node in self._below({}):
            node.grad = 0.0
