"""`_backward` is a bound method of the result, one for each kind of operation."""

import math


class Value:
    def __init__(self, data, prev=(), op=""):
        self.data = data
        self.grad = 0.0
        self._prev = prev
        self._op = op
        self._backward = {"+": self._of_sum, "*": self._of_product, "tanh": self._of_tanh}.get(op, self._of_leaf)

    def _of_leaf(self):
        pass

    def _of_sum(self):
        a, b = self._prev
        a.grad += self.grad
        b.grad += self.grad

    def _of_product(self):
        a, b = self._prev
        a.grad, b.grad = (
            (a.grad + b.data * self.grad, b.grad + a.data * self.grad)
            if a is not b
            else (a.grad + 2 * a.data * self.grad,) * 2
        )

    def _of_tanh(self):
        (a,) = self._prev
        a.grad += (1 - self.data * self.data) * self.grad

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), "+")

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), "*")

    def tanh(self):
        return Value(math.tanh(self.data), (self,), "tanh")

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
