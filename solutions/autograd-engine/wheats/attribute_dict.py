"""A Value is a dict whose keys are its attributes."""
import math


class Value(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__
    __hash__ = object.__hash__
    __eq__ = object.__eq__

    def __init__(self, data, _prev=(), _op=""):
        dict.__init__(self, data=data, grad=0.0, _prev=list(_prev), _op=_op, _backward=lambda: None)

    def __repr__(self):
        return f"<{self.data}, gradient {self.grad}>"

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def step():
            self["grad"] += out["grad"]
            other["grad"] += out["grad"]

        out._backward = step
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def step():
            self["grad"] += other["data"] * out["grad"]
            other["grad"] += self["data"] * out["grad"]

        out._backward = step
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")

        def step():
            self.grad += (1 - out.data**2) * out.grad

        out._backward = step
        return out

    def _topo(self):
        order, seen = [], []

        def visit(n):
            if not any(n is s for s in seen):
                seen.append(n)
                for m in n._prev:
                    visit(m)
                order.append(n)

        visit(self)
        return order

    def backward(self):
        order = self._topo()
        self.grad = 1.0
        for node in order[::-1]:
            node._backward()

    def zero_grad(self):
        for node in self._topo():
            node.grad = 0.0
