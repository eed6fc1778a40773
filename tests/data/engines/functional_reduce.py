import math
from functools import reduce


class Value:
    def __init__(self, data, prev=(), op="", vjp=lambda g: ()):
        self.data, self.grad, self._prev, self._op, self.vjp = data, 0.0, prev, op, vjp

    def _backward(self):
        for p, g in zip(self._prev, self.vjp(self.grad)):
            p.grad += g

    def __add__(self, o):
        o = o if isinstance(o, Value) else Value(o)
        return Value(self.data + o.data, (self, o), "+", lambda g: (g, g))

    def __mul__(self, o):
        o = o if isinstance(o, Value) else Value(o)
        return Value(self.data * o.data, (self, o), "*", lambda g: (g * o.data, g * self.data))

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, (self,), "tanh", lambda g: (g * (1 - t * t),))

    def backward(self):
        self.grad = 1.0
        for n in toposort(self):
            n._backward()

    def zero_grad(self):
        for n in toposort(self):
            n.grad = 0.0


def toposort(root):
    def go(acc, n):
        order, seen = acc
        if n in seen:
            return acc
        order, seen = reduce(go, n._prev, (order, seen | {n}))
        return (n,) + order, seen

    return go(((), frozenset()), root)[0]
