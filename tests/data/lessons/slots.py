import math


def _noop():
    return None


class Value:
    __slots__ = ("data", "grad", "_prev", "_op", "_backward", "label")

    def __init__(self, data, _children=(), _op="", label=""):
        self.data = data
        self.grad = 0.0
        self._prev = list(_children)
        self._op = _op
        self._backward = _noop
        self.label = label

    def __repr__(self):
        return f"Value(data={self.data!r}, grad={self.grad!r}, op={self._op!r})"

    def __add__(self, rhs):
        rhs = rhs if isinstance(rhs, Value) else Value(rhs)
        out = Value(self.data + rhs.data, (self, rhs), "+")

        def _backward():
            self.grad += out.grad
            rhs.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, rhs):
        rhs = rhs if isinstance(rhs, Value) else Value(rhs)
        out = Value(self.data * rhs.data, (self, rhs), "*")

        def _backward():
            self.grad += rhs.data * out.grad
            rhs.grad += self.data * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")

        def _backward():
            self.grad += (1 - out.data**2) * out.grad

        out._backward = _backward
        return out

    def _postorder(self, seen=None):
        seen = set() if seen is None else seen
        seen.add(self)
        for child in self._prev:
            if child not in seen:
                yield from child._postorder(seen)
        yield self

    def backward(self):
        self.grad = 1.0
        for node in reversed(list(self._postorder())):
            node._backward()

    def zero_grad(self):
        for node in self._postorder():
            node.grad = 0.0
