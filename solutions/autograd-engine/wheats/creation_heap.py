"""Creation order with a heap: the youngest node that is known goes next, its operands are put in."""

import math
from heapq import heappop, heappush


class Value:
    made = 0

    def __init__(self, data, _children=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._prev = tuple(_children)
        self._op = _op
        self._backward = lambda: None
        Value.made += 1
        self.number = Value.made

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad += (1 - t**2) * out.grad

        out._backward = _backward
        return out

    def _users_first(self):
        heap, known = [(-self.number, self)], {self.number}
        while heap:
            _, node = heappop(heap)
            yield node
            for operand in node._prev:
                if operand.number not in known:
                    known.add(operand.number)
                    heappush(heap, (-operand.number, operand))

    def backward(self):
        self.grad = 1.0
        for node in self._users_first():
            node._backward()

    def zero_grad(self):
        for node in self._users_first():
            node.grad = 0.0
