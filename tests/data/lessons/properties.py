import math


class Value:
    """Data and grad behind properties, so that nobody stores a string in them by mistake."""

    def __init__(self, data, children=(), op=""):
        self._data = None
        self._grad = 0.0
        self.data = data
        self._prev = set(children)
        self._op = op
        self._backward = self._leaf

    @staticmethod
    def _leaf():
        pass

    @property
    def data(self):
        return self._data

    @data.setter
    def data(self, number):
        if not isinstance(number, (int, float)):
            raise TypeError(f"a number, please, not {number!r}")
        self._data = number

    @property
    def grad(self):
        return self._grad

    @grad.setter
    def grad(self, number):
        self._grad = float(number)

    @property
    def is_leaf(self):
        return not self._prev

    def __str__(self):
        return f"{self.data} (∇ {self.grad})"

    __repr__ = __str__

    def __add__(self, other):
        other = lift(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = lift(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")

        def _backward():
            self.grad += (1 - out.data**2) * out.grad

        out._backward = _backward
        return out

    def backward(self):
        self.grad = 1
        for node in reversed(sort(self)):
            node._backward()

    def zero_grad(self):
        for node in sort(self):
            node.grad = 0


def lift(x):
    return x if isinstance(x, Value) else Value(x)


def sort(root):
    visited = set()
    result = []

    def visit(node):
        if node not in visited:
            visited.add(node)
            for child in node._prev:
                visit(child)
            result.append(node)

    visit(root)
    return result
