"""A whole power is repeated multiplication, other powers go by exp and log of the size."""
import math


class Value:
    def __init__(self, data, prev=(), op=""):
        self.data, self.grad, self._prev, self._op = data, 0.0, prev, op
        self._backward = lambda: None

    def _new(self, data, op, *pairs):
        out = Value(data, tuple(node for node, _ in pairs), op)

        def back():
            for node, slope in pairs:
                node.grad += slope * out.grad

        out._backward = back
        return out

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return self._new(self.data + other.data, "+", (self, 1), (other, 1))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return self._new(self.data * other.data, "*", (self, other.data), (other, self.data))

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __pow__(self, n):
        if isinstance(n, int) and n > 0:
            out = self
            for _ in range(n - 1):
                out = out * self
            return out
        return self._new(self.data**n, "**", (self, n * self.data ** (n - 1)))

    def __truediv__(self, other):
        return self * other**-1

    def __rtruediv__(self, other):
        return self**-1 * other

    def tanh(self):
        t = math.tanh(self.data)
        return self._new(t, "tanh", (self, 1 - t * t))

    def exp(self):
        e = math.exp(self.data)
        return self._new(e, "exp", (self, e))

    def relu(self):
        return self * (self.data > 0)

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
