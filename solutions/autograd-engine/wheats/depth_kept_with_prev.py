"""Every node keeps its depth, worked out when `_prev` is set; the deepest go first."""

import math


class Value:
    def __init__(self, data, _prev=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._prev = _prev
        self._op = _op
        self._backward = lambda: None

    @property
    def _prev(self):
        return self._operands

    @_prev.setter
    def _prev(self, operands):
        self._operands = operands
        self._depth = 1 + max((operand._depth for operand in operands), default=0)

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

    def _sorted(self):
        nodes, waiting = {self}, [self]
        while waiting:
            for operand in waiting.pop()._prev:
                if operand not in nodes:
                    nodes.add(operand)
                    waiting.append(operand)
        return sorted(nodes, key=lambda node: node._depth)

    def backward(self):
        self.grad = 1.0
        for node in reversed(self._sorted()):
            node._backward()

    def zero_grad(self):
        for node in self._sorted():
            node.grad = 0.0
