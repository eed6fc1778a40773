"""Every operation is a subclass of Value that knows its own derivative."""

import math


class Value:
    _op = ""

    def __init__(self, data, *operands):
        self.data = data
        self.grad = 0.0
        self._prev = operands

    def _backward(self):
        """A leaf has nothing to pass on."""

    def __add__(self, other):
        return Sum(self, other if isinstance(other, Value) else Value(other))

    def __mul__(self, other):
        return Product(self, other if isinstance(other, Value) else Value(other))

    def tanh(self):
        return Tanh(self)

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


class Sum(Value):
    _op = "+"

    def __init__(self, a, b):
        super().__init__(a.data + b.data, a, b)
        self.a, self.b = a, b

    def _backward(self):
        self.a.grad += self.grad
        self.b.grad += self.grad


class Product(Value):
    _op = "*"

    def __init__(self, a, b):
        super().__init__(a.data * b.data, a, b)
        self.a, self.b = a, b

    def _backward(self):
        self.a.grad += self.b.data * self.grad
        self.b.grad += self.a.data * self.grad


class Tanh(Value):
    _op = "tanh"

    def __init__(self, a):
        super().__init__(math.tanh(a.data), a)
        self.a = a

    def _backward(self):
        self.a.grad += (1 - self.data**2) * self.grad
