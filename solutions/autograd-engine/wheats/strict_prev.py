"""`_prev` takes nothing but a pair type of its own, with left and right; whoever sets it by hand is refused."""
import math
from typing import NamedTuple


class Operands(NamedTuple):
    left: object = None
    right: object = None


class Nodes:
    def __init__(self, *nodes):
        self.pair = Operands(*nodes)

    def __iter__(self):
        return (node for node in self.pair if node is not None)


class Value:
    def __init__(self, data, prev=None, op=""):
        self.data, self.grad, self._op = data, 0.0, op
        self._prev = prev or Nodes()
        self._backward = lambda: None

    @property
    def _prev(self):
        return self._nodes

    @_prev.setter
    def _prev(self, nodes):
        if not isinstance(nodes, Nodes):
            raise TypeError("_prev is made of Nodes")
        self._nodes = nodes

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, Nodes(self, other), "+")

        def step():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = step
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, Nodes(self, other), "*")

        def step():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = step
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), Nodes(self), "tanh")

        def step():
            self.grad += (1 - out.data**2) * out.grad

        out._backward = step
        return out

    def _topo(self):
        order, seen = [], set()

        def visit(node):
            if node is None or node in seen:
                return
            seen.add(node)
            visit(node._prev.pair.left)
            visit(node._prev.pair.right)
            order.append(node)

        visit(self)
        return order

    def backward(self):
        order = self._topo()
        self.grad = 1.0
        for node in reversed(order):
            node._backward()

    def zero_grad(self):
        for node in self._topo():
            node.grad = 0.0
