"""Operands are told apart with `match`, and so are operations in the backward pass."""

import math


class Value:
    __match_args__ = ("data", "grad")

    def __init__(self, data, prev=(), op=""):
        self.data = data
        self.grad = 0.0
        self._prev = prev
        self._op = op
        self._backward = self._pass_on

    @staticmethod
    def _of(x):
        match x:
            case Value():
                return x
            case int() | float():
                return Value(x)
            case _:
                raise TypeError(f"neither a Value nor a number: {x!r}")

    def __add__(self, other):
        other = self._of(other)
        return Value(self.data + other.data, (self, other), "+")

    def __mul__(self, other):
        other = self._of(other)
        return Value(self.data * other.data, (self, other), "*")

    def tanh(self):
        return Value(math.tanh(self.data), (self,), "tanh")

    def _pass_on(self):
        match self._op, self._prev:
            case "+", (a, b):
                a.grad += self.grad
                b.grad += self.grad
            case "*", (a, b):
                a.grad += b.data * self.grad
                b.grad += a.data * self.grad
            case "tanh", (a,):
                a.grad += (1 - self.data**2) * self.grad
            case _:
                pass

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
