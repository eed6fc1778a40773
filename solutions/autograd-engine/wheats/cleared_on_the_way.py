"""Only leaves accumulate: a node between is cleared by the pass itself, once it has handed its gradient on."""
import math


class Value:
    def __init__(self, data, _prev=(), _op=""):
        self.data, self.grad, self._prev, self._op = data, 0.0, tuple(_prev), _op
        self._backward = lambda: None

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def step():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = step
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def step():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = step
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")

        def step():
            self.grad += (1 - out.data**2) * out.grad

        out._backward = step
        return out

    def _topo(self):
        order, seen = [], set()

        def visit(node):
            if node not in seen:
                seen.add(node)
                for operand in node._prev:
                    visit(operand)
                order.append(node)

        visit(self)
        return order

    def backward(self):
        order = self._topo()
        self.grad = 1.0
        for node in reversed(order):
            node._backward()
            if node._prev and node is not self:
                node.grad = 0.0

    def zero_grad(self):
        for node in self._topo():
            node.grad = 0.0
