import math


class Value:
    def __init__(self, data, _prev=(), _op=""):
        self.data, self.grad, self._prev, self._op = data, 0.0, _prev, _op
        self._backward = self._idle

    def _idle(self):
        yield_nothing = None
        return yield_nothing

    def _post(self, seen):
        seen.add(self)
        for p in self._prev:
            if p not in seen:
                yield from p._post(seen)
        yield self

    def _both(self, other, op, data, da, db):
        out = Value(data, (self, other), op)

        def back():
            self.grad += da() * out.grad
            other.grad += db() * out.grad

        out._backward = back
        return out

    def __add__(self, other):
        other = self._as_value(other)
        return self._both(other, "+", self.data + other.data, lambda: 1, lambda: 1)

    def __mul__(self, other):
        other = self._as_value(other)
        return self._both(other, "*", self.data * other.data, lambda: other.data, lambda: self.data)

    @classmethod
    def _as_value(cls, x):
        return x if isinstance(x, cls) else cls(x)

    def tanh(self):
        e = math.exp(-2 * abs(self.data))
        t = math.copysign((1 - e) / (1 + e), self.data)
        out = Value(t, (self,), "tanh")

        def back():
            self.grad += (1 - t * t) * out.grad

        out._backward = back
        return out

    def backward(self):
        nodes = [*self._post(set())]
        self.grad = 1.0
        for n in nodes[::-1]:
            n._backward()

    def zero_grad(self):
        for n in [*self._post(set())]:
            n.grad = 0
