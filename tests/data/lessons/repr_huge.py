import math

RULER = "-" * 200_000


class Value:
    def __init__(self, data, _prev=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._prev = set(_prev)
        self._op = _op
        self._backward = lambda: None

    def __repr__(self):
        return f"Value {self.data} {self.grad}\n{RULER}\n"

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            for operand in (self, other):
                operand.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            for operand, factor in ((self, other.data), (other, self.data)):
                operand.grad += factor * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad += (1 - t**2) * out.grad

        out._backward = _backward
        return out

    def walk(self, seen):
        if self not in seen:
            seen.add(self)
            for operand in self._prev:
                yield from operand.walk(seen)
            yield self

    def backward(self):
        self.grad = 1.0
        for node in [*self.walk(set())][::-1]:
            node._backward()

    def zero_grad(self):
        for node in self.walk(set()):
            node.grad = 0.0
