import contextlib
import math


class Value:
    def __init__(self, data, parents=()):
        self.data, self.grad, self._prev, self._op = data, 0.0, list(parents), ""
        self._backward = lambda: None

    @contextlib.contextmanager
    def _visiting(self, seen):
        fresh = not any(self is s for s in seen)
        if fresh:
            seen.append(self)
        yield fresh

    def _collect(self, seen, out):
        with self._visiting(seen) as fresh:
            if fresh:
                for p in self._prev:
                    p._collect(seen, out)
                out.append(self)
        return out

    def __add__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        res = Value(self.data + other.data, [self, other])
        res._op = "add"

        def run():
            for p in (self, other):
                p.grad = p.grad + res.grad

        res._backward = run
        return res

    def __mul__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        res = Value(self.data * other.data, [self, other])
        res._op = "mul"

        def run():
            x, y = self.data, other.data
            self.grad = self.grad + y * res.grad
            other.grad = other.grad + x * res.grad

        res._backward = run
        return res

    def tanh(self):
        res = Value(math.tanh(self.data), [self])
        res._op = "tanh"

        def run():
            self.grad += res.grad * (1 - res.data ** 2)

        res._backward = run
        return res

    def backward(self):
        nodes = self._collect([], [])
        self.grad = 1.0
        while nodes:
            nodes.pop()._backward()

    def zero_grad(self):
        for n in self._collect([], []):
            n.grad = 0.0
