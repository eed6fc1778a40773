"""Operators are functools.singledispatchmethods: one for Value, one for numbers."""
import math
from functools import singledispatchmethod
from numbers import Real


class Value:
    def __init__(self, data, _prev=(), _op=""):
        self.data, self.grad, self._prev, self._op = data, 0.0, _prev, _op
        self._backward = lambda: None

    @singledispatchmethod
    def __add__(self, other):
        return NotImplemented

    @__add__.register
    def _(self, other: Real):
        return self + Value(other)

    @singledispatchmethod
    def __mul__(self, other):
        return NotImplemented

    @__mul__.register
    def _(self, other: Real):
        return self * Value(other)

    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")

        def step():
            self.grad += out.grad * (1 - out.data * out.data)

        out._backward = step
        return out

    def _post(self):
        seen = {}

        def go(n):
            seen[n] = False
            for m in n._prev:
                if m not in seen:
                    go(m)
            seen[n] = True
            order.append(n)

        order = []
        go(self)
        return order

    def backward(self):
        order = self._post()
        self.grad = 1.0
        for n in order[::-1]:
            n._backward()

    def zero_grad(self):
        for n in self._post():
            n.grad = 0.0


@Value.__dict__["__add__"].register(Value)
def _add(self, other):
    out = Value(self.data + other.data, (self, other), "+")

    def step():
        self.grad += out.grad
        other.grad += out.grad

    out._backward = step
    return out


@Value.__dict__["__mul__"].register(Value)
def _mul(self, other):
    out = Value(self.data * other.data, (self, other), "*")

    def step():
        self.grad += other.data * out.grad
        other.grad += self.data * out.grad

    out._backward = step
    return out
