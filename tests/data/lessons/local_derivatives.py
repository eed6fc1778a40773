"""Every node keeps its operands and one local derivative for each; there are no closures."""

import math


class Value:
    def __init__(self, data, _prev=(), _local=(), _op=""):
        self.data = data
        self.grad = 0
        self._prev = _prev
        self._local = _local
        self._op = _op

    def _backward(self):
        for child, derivative in zip(self._prev, self._local):
            child.grad += derivative * self.grad

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), (1, 1), "+")

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data), "*")

    def __pow__(self, n):
        return Value(self.data**n, (self,), (n * self.data ** (n - 1),), "pow")

    def exp(self):
        return Value(math.exp(self.data), (self,), (math.exp(self.data),), "exp")

    def relu(self):
        return Value(max(0, self.data), (self,), (float(self.data > 0),), "relu")

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, (self,), (1 - t * t,), "tanh")

    def __neg__(self): return self * -1
    def __radd__(self, other): return self + other
    def __rmul__(self, other): return self * other
    def __sub__(self, other): return self + (-other)
    def __rsub__(self, other): return other + (-self)
    def __truediv__(self, other): return self * other**-1
    def __rtruediv__(self, other): return other * self**-1
    def __repr__(self): return f"Value({self.data}, {self.grad})"

    def _sorted(self):
        topo, visited = [], set()

        def build(v):
            if v not in visited:
                visited.add(v)
                for child in v._prev:
                    build(child)
                topo.append(v)

        build(self)
        return reversed(topo)

    def backward(self):
        self.grad = 1
        for v in self._sorted():
            v._backward()

    def zero_grad(self):
        for v in self._sorted():
            v.grad = 0
