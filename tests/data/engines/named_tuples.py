import math
from typing import NamedTuple


class Step(NamedTuple):
    operand: "Value"
    slope: float


class Value:
    def __init__(self, data):
        self.data = data
        self.grad = 0
        self.steps = ()
        self._op = ""

    @property
    def _prev(self):
        return tuple(step.operand for step in self.steps)

    @_prev.setter
    def _prev(self, nodes):
        self.steps = tuple(Step(node, 1.0) for node in nodes)

    def _backward(self):
        for operand, slope in self.steps:
            operand.grad += slope * self.grad

    @staticmethod
    def _result(data, op, *steps):
        out = Value(data)
        out.steps, out._op = steps, op
        return out

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value._result(self.data + other.data, "+", Step(self, 1), Step(other, 1))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value._result(self.data * other.data, "*", Step(self, other.data), Step(other, self.data))

    def tanh(self):
        t = math.tanh(self.data)
        return Value._result(t, "tanh", Step(self, (1 - t) * (1 + t)))

    def _walk(self):
        seen, order = set(), []

        def visit(n):
            if id(n) in seen:
                return
            seen.add(id(n))
            for p in n._prev:
                visit(p)
            order.append(n)

        visit(self)
        return order

    def backward(self):
        order = self._walk()
        self.grad = 1
        for n in order[::-1]:
            n._backward()

    def zero_grad(self):
        for n in self._walk():
            n.grad = 0
