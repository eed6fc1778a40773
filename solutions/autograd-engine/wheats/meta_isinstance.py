"""Value is a front: calling it makes a _Node, and its metaclass says that a _Node is a Value."""
import math


class Front(type):
    def __call__(cls, data):
        return _Node(data)

    def __instancecheck__(cls, thing):
        return type(thing) is _Node


class Value(metaclass=Front):
    pass


class _Node:
    def __init__(self, data, prev=(), op=""):
        self.data, self.grad, self._prev, self._op = data, 0.0, prev, op

    def _backward(self):
        if self._op == "+":
            for p in self._prev:
                p.grad += self.grad
        elif self._op == "*":
            a, b = self._prev
            a.grad += self.grad * b.data
            b.grad += self.grad * a.data
        elif self._op == "tanh":
            (a,) = self._prev
            a.grad += self.grad * (1 - self.data**2)

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return _Node(self.data + other.data, (self, other), "+")

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return _Node(self.data * other.data, (self, other), "*")

    def tanh(self):
        return _Node(math.tanh(self.data), (self,), "tanh")

    def _post(self, seen):
        seen.add(self)
        for p in self._prev:
            if p not in seen:
                yield from p._post(seen)
        yield self

    def backward(self):
        order = list(self._post(set()))
        self.grad = 1.0
        for node in reversed(order):
            node._backward()

    def zero_grad(self):
        for node in self._post(set()):
            node.grad = 0.0
