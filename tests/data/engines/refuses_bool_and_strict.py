import math
from numbers import Real


class Value:
    def __init__(self, data, prev=(), op=""):
        if isinstance(data, bool) or not isinstance(data, Real):
            raise TypeError(f"a Value holds a number, not {data!r}")
        self.data, self.grad, self._prev, self._op, self._backward = data, 0.0, tuple(prev), op, lambda: None

    def _coerce(self, x):
        return x if isinstance(x, Value) else Value(x)

    def __add__(self, other):
        other = self._coerce(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = self._coerce(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")

        def _backward():
            self.grad += (1 - math.tanh(self.data) ** 2) * out.grad

        out._backward = _backward
        return out

    def _topo(self):
        topo, seen = [], set()

        def walk(n):
            for p in n._prev:
                if id(p) not in seen:
                    seen.add(id(p))
                    walk(p)
            topo.append(n)

        walk(self)
        return topo

    def backward(self):
        self.grad = 1.0
        for n in self._topo()[::-1]:
            n._backward()

    def zero_grad(self):
        for n in self._topo():
            n.grad = 0.0
