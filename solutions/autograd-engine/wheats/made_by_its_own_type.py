"""Results are made with `type(self)(...)`, and Value inherits its parts from two base classes."""

import math


class Node:
    def __init__(self, data, prev=(), op=""):
        self.data = data
        self.grad = 0.0
        self._prev = prev
        self._op = op
        self._backward = self._nothing

    @staticmethod
    def _nothing():
        pass

    def _nodes(self):
        found, seen = [], set()

        def visit(node):
            if node not in seen:
                seen.add(node)
                for operand in node._prev:
                    visit(operand)
                found.append(node)

        visit(self)
        return found

    def backward(self):
        self.grad = 1.0
        for node in self._nodes()[::-1]:
            node._backward()

    def zero_grad(self):
        for node in self._nodes():
            node.grad = 0.0


class Arithmetic:
    def _wrapped(self, other):
        return other if isinstance(other, Node) else type(self)(other)

    def __add__(self, other):
        other = self._wrapped(other)
        out = type(self)(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = self._wrapped(other)
        out = type(self)(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        out = type(self)(math.tanh(self.data), (self,), "tanh")

        def _backward():
            self.grad += (1 - out.data**2) * out.grad

        out._backward = _backward
        return out


class Value(Arithmetic, Node):
    pass
