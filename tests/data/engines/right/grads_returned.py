import math


class Value:
    """backward() gathers in a dict of ids through _backward of each node, which writes to grad as asked."""

    def __init__(self, data, _prev=(), _op="", _local=()):
        self.data = data
        self.grad = 0.0
        self._prev = _prev
        self._op = _op
        self._local = _local

    def _backward(self):
        g = self.grad
        for node, local in zip(self._prev, self._local):
            node.grad += local * g

    def __add__(self, other):
        if isinstance(other, (int, float)):
            return Value(self.data + other, (self,), "+", (1.0,))
        return Value(self.data + other.data, (self, other), "+", (1.0, 1.0))

    def __mul__(self, other):
        if isinstance(other, (int, float)):
            return Value(self.data * other, (self,), "*", (other,))
        return Value(self.data * other.data, (self, other), "*", (other.data, self.data))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + (-other)

    def __rsub__(self, other):
        return -self + other

    def __pow__(self, n):
        return Value(self.data**n, (self,), f"**{n}", (n * self.data ** (n - 1),))

    def __truediv__(self, other):
        return self * other**-1

    def __rtruediv__(self, other):
        return self**-1 * other

    def exp(self):
        e = math.exp(self.data)
        return Value(e, (self,), "exp", (e,))

    def relu(self):
        return Value(max(0.0, self.data), (self,), "relu", (float(self.data > 0),))

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, (self,), "tanh", (1 - t * t,))

    def _sorted(self):
        order, seen = [], {id(self)}
        stack = [(self, 0)]
        while stack:
            node, i = stack.pop()
            prev = list(node._prev)
            while i < len(prev) and id(prev[i]) in seen:
                i += 1
            if i < len(prev):
                stack.append((node, i + 1))
                seen.add(id(prev[i]))
                stack.append((prev[i], 0))
            else:
                order.append(node)
        order.reverse()
        return order

    def backward(self):
        self.grad = 1.0
        for n in self._sorted():
            n._backward()

    def zero_grad(self):
        for n in self._sorted():
            n.grad = 0.0

    def __repr__(self):
        return f"Value({self.data:.6g})"
