"""Every operator and every `_backward` is a lambda, with a method that adds."""

import math


class Value:
    def __init__(self, data, prev=(), op=""):
        self.data, self.grad, self._prev, self._op = data, 0.0, prev, op
        self._backward = lambda: None

    def _gets(self, share):
        self.grad += share

    def _with(self, backward):
        self._backward = backward
        return self

    _wrap = staticmethod(lambda x: x if isinstance(x, Value) else Value(x))
    __add__ = lambda self, other: Value._sum(self, Value._wrap(other))
    __mul__ = lambda self, other: Value._product(self, Value._wrap(other))

    @staticmethod
    def _sum(a, b):
        out = Value(a.data + b.data, (a, b), "+")
        return out._with(lambda: (a._gets(out.grad), b._gets(out.grad)))

    @staticmethod
    def _product(a, b):
        out = Value(a.data * b.data, (a, b), "*")
        return out._with(lambda: (a._gets(b.data * out.grad), b._gets(a.data * out.grad)))

    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")
        return out._with(lambda: self._gets((1 - out.data**2) * out.grad))

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
