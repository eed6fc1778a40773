import itertools
import math

_clock = itertools.count()


class Value:
    def __init__(self, data, _prev=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._prev = set(_prev)
        self._op = _op
        self._backward = lambda: None
        self._born = next(_clock)

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, {self, other}, "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, {self, other}, "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, {self}, "tanh")

        def _backward():
            self.grad += (1 - t * t) * out.grad

        out._backward = _backward
        return out

    def _family(self):
        family, frontier = {self}, {self}
        while frontier:
            frontier = {p for n in frontier for p in n._prev} - family
            family |= frontier
        return sorted(family, key=lambda n: n._born, reverse=True)

    def backward(self):
        self.grad = 1.0
        for n in self._family():
            n._backward()

    def zero_grad(self):
        for n in self._family():
            n.grad = 0.0

    def __repr__(self):
        return "<%r, grad %r>" % (self.data, self.grad)
