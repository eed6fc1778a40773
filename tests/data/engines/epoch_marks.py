import math


class Value:
    """Visited is a number on the node: that of the walk."""

    walk = 0

    def __init__(self, data, _prev=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._prev = set(_prev)
        self._op = _op
        self._backward = lambda: None
        self._seen_in = 0

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad += (1 - t * t) * out.grad

        out._backward = _backward
        return out

    def _topo(self):
        Value.walk += 1
        topo = []

        def build(v):
            if v._seen_in != Value.walk:
                v._seen_in = Value.walk
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
