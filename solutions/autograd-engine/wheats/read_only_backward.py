"""`_backward` is a read-only property that returns a closure."""
import math


class Value:
    def __init__(self, data, prev=(), op="", rule=None):
        self.data, self.grad, self._prev, self._op, self._rule = data, 0.0, prev, op, rule

    @property
    def _backward(self):
        def closure():
            if self._rule:
                for node, slope in zip(self._prev, self._rule):
                    node.grad += slope * self.grad
        return closure

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), "+", (1, 1))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), "*", (other.data, self.data))

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, (self,), "tanh", (1 - t * t,))

    def _topo(self):
        topo, visited = [], set()

        def build(v):
            if v not in visited:
                visited.add(v)
                for child in v._prev:
                    build(child)
                topo.append(v)

        build(self)
        return topo

    def backward(self):
        topo = self._topo()
        self.grad = 1.0
        for v in reversed(topo):
            v._backward()

    def zero_grad(self):
        for v in self._topo():
            v.grad = 0.0
