"""Exact arithmetic inside: numbers and gradients are Fractions, and floats when somebody looks."""
import math
from fractions import Fraction


class Value:
    def __init__(self, data, _prev=(), _op=""):
        self._data = Fraction(data)
        self._grad = Fraction(0)
        self._prev = tuple(_prev)
        self._op = _op
        self._backward = lambda: None

    data = property(lambda self: float(self._data))

    @property
    def grad(self):
        return float(self._grad)

    @grad.setter
    def grad(self, value):
        self._grad = Fraction(value)

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self._data + other._data, (self, other), "+")

        def back():
            self._grad += out._grad
            other._grad += out._grad

        out._backward = back
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self._data * other._data, (self, other), "*")

        def back():
            self._grad += out._grad * other._data
            other._grad += out._grad * self._data

        out._backward = back
        return out

    def tanh(self):
        t = Fraction(math.tanh(self._data))
        out = Value(t, (self,), "tanh")

        def back():
            self._grad += out._grad * (1 - t * t)

        out._backward = back
        return out

    def backward(self):
        order, done = [], set()

        def sort(node):
            done.add(node)
            for below in node._prev:
                if below not in done:
                    sort(below)
            order.insert(0, node)

        sort(self)
        self._grad = Fraction(1)
        for node in order:
            node._backward()

    def zero_grad(self, done=None):
        done = set() if done is None else done
        if self not in done:
            done.add(self)
            self.grad = 0
            for below in self._prev:
                below.zero_grad(done)
