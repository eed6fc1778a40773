import math


class Value:
    def __init__(self, data, _prev=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._prev = list(_prev)
        self._op = _op
        self._backward = lambda: None

    def __eq__(self, other):
        return self is other

    __hash__ = None

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, [self, other], "+")

        def f():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = f
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, [self, other], "*")

        def f():
            self.grad += out.grad * other.data
            other.grad += out.grad * self.data

        out._backward = f
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), [self], "tanh")

        def f():
            self.grad += out.grad * (1 - out.data * out.data)

        out._backward = f
        return out

    def backward(self):
        topo = []
        self._visit(topo)
        self.grad = 1.0
        for v in topo[::-1]:
            v._backward()

    def _visit(self, topo, seen=None):
        seen = [] if seen is None else seen
        if self in seen:
            return
        seen.append(self)
        for p in self._prev:
            p._visit(topo, seen)
        topo.append(self)

    def zero_grad(self):
        topo = []
        self._visit(topo)
        for v in topo:
            v.grad = 0.0
