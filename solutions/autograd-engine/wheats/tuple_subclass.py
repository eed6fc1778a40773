"""A Value is a tuple of its operands, so `_prev` is the node itself; hash and equality are those of an object."""
import math


class Value(tuple):
    __hash__ = object.__hash__
    __eq__ = object.__eq__
    __ne__ = object.__ne__

    def __new__(cls, data, operands=(), op=""):
        self = super().__new__(cls, operands)
        self.data, self.grad, self._op = data, 0.0, op
        self._backward = lambda: None
        return self

    @property
    def _prev(self):
        return tuple(self)

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

    def _topo(self, order=None, seen=None):
        order, seen = ([], set()) if order is None else (order, seen)
        if self not in seen:
            seen.add(self)
            for operand in self:
                operand._topo(order, seen)
            order.append(self)
        return order

    def backward(self):
        order = self._topo()
        self.grad = 1.0
        for node in reversed(order):
            node._backward()

    def zero_grad(self):
        for node in self._topo():
            node.grad = 0.0
