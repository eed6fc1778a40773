# Homework 3 -- autograd
# works with all my own examples!!

import math


class Value:
    def __init__(self, data, _prev=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._prev = _prev
        self._op = _op
        self._backward = lambda: None

    def __add__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            # gradient just flows through
            self.grad = out.grad
            other.grad = out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            # product rule: the other factor
            self.grad = other.data * out.grad
            other.grad = self.data * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad += (1 - t * t) * out.grad

        out._backward = _backward
        return out

    def topo(self):
        order = []
        seen = set()

        def visit(n):
            if n not in seen:
                seen.add(n)
                for p in n._prev:
                    visit(p)
                order.append(n)

        visit(self)
        return order

    def backward(self):
        self.grad = 1.0
        for n in reversed(self.topo()):
            n._backward()

    def zero_grad(self):
        for n in self.topo():
            n.grad = 0.0
