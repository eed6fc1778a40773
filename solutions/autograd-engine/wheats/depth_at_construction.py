"""Every node notes its depth when it is made, from the operands it is given; the deepest go first."""

import math


class Value:
    def __init__(self, data, _children=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._prev = tuple(_children)
        self._op = _op
        self._backward = lambda: None
        self._depth = 1 + max((operand._depth for operand in self._prev), default=0)

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

    def _nodes(self):
        nodes, waiting = {self}, [self]
        while waiting:
            for operand in waiting.pop()._prev:
                if operand not in nodes:
                    nodes.add(operand)
                    waiting.append(operand)
        return nodes

    def backward(self):
        self.grad = 1.0
        for node in sorted(self._nodes(), key=lambda node: node._depth, reverse=True):
            node._backward()

    def zero_grad(self):
        for node in self._nodes():
            node.grad = 0.0
