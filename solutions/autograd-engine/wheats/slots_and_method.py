"""`__slots__` for what a node holds, and `_backward` an ordinary method, which no instance can replace."""
import math


class Value:
    __slots__ = ("data", "grad", "_prev", "_op", "_slopes")

    def __init__(self, data, prev=(), op="", slopes=()):
        self.data, self.grad, self._prev, self._op, self._slopes = data, 0.0, prev, op, slopes

    def _backward(self):
        for node, slope in zip(self._prev, self._slopes):
            node.grad += slope * self.grad

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), "+", (1.0, 1.0))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), "*", (other.data, self.data))

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, (self,), "tanh", (1 - t * t,))

    def _topo(self):
        topo, visited, stack = [], set(), [self]
        while stack:
            v = stack.pop()
            if type(v) is tuple:
                topo.append(v[0])
            elif v not in visited:
                visited.add(v)
                stack.append((v,))
                stack.extend(v._prev)
        return topo

    def backward(self):
        topo = self._topo()
        self.grad = 1.0
        for v in reversed(topo):
            v._backward()

    def zero_grad(self):
        for v in self._topo():
            v.grad = 0.0
