"""Every operator is written out with its own derivative, `-`, `/` and their reflected forms included."""

import math


class Value:
    def __init__(self, data, _children=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._prev = tuple(_children)
        self._op = _op
        self._backward = lambda: None

    def _made(self, number, op, *edges):
        out = Value(number, [operand for operand, _ in edges], op)

        def _backward():
            for operand, slope in edges:
                operand.grad += slope * out.grad

        out._backward = _backward
        return out

    @staticmethod
    def _of(x):
        return x if isinstance(x, Value) else Value(x)

    def __add__(self, other):
        other = Value._of(other)
        return self._made(self.data + other.data, "+", (self, 1), (other, 1))

    __radd__ = __add__

    def __mul__(self, other):
        other = Value._of(other)
        return self._made(self.data * other.data, "*", (self, other.data), (other, self.data))

    __rmul__ = __mul__

    def __neg__(self):
        return self._made(-self.data, "neg", (self, -1))

    def __sub__(self, other):
        other = Value._of(other)
        return self._made(self.data - other.data, "-", (self, 1), (other, -1))

    def __rsub__(self, other):
        return self._made(other - self.data, "-", (self, -1))

    def __truediv__(self, other):
        other = Value._of(other)
        slope = -self.data / other.data**2
        return self._made(self.data / other.data, "/", (self, 1 / other.data), (other, slope))

    def __rtruediv__(self, other):
        return self._made(other / self.data, "/", (self, -other / self.data**2))

    def __pow__(self, n):
        if isinstance(n, Value):
            raise TypeError("the exponent must be a plain number")
        return self._made(self.data**n, "**", (self, n * self.data ** (n - 1)))

    def exp(self):
        e = math.exp(self.data)
        return self._made(e, "exp", (self, e))

    def tanh(self):
        t = math.tanh(self.data)
        return self._made(t, "tanh", (self, 1 - t * t))

    def relu(self):
        return self._made(max(0.0, self.data), "relu", (self, 1.0 if self.data > 0 else 0.0))

    def __repr__(self):
        return f"Value({self.data:.4f}, grad {self.grad:.4f})"

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
