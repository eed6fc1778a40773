import math

class Value:
    def __init__(self, data, _prev=(), _op=''):
        self.data = data
        self.grad = 0.0
        self._prev = _prev
        self._op = _op
        self._backward = lambda: None

    def __add__(self, other):
        other = self.to_value(other)
        out = Value(self.data + other.data, (self, other), '+')
        def f():
            self.grad += out.grad
            other.grad += out.grad
        out._backward = f
        return out

    def __mul__(self, other):
        other = self.to_value(other)
        out = Value(self.data * other.data, (self, other), '*')
        def f():
            self.grad += out.grad * other.data
            other.grad += out.grad * self.data
        out._backward = f
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), 'tanh')
        def f():
            self.grad += out.grad * (1 - t*t)
        out._backward = f
        return out

    def to_value(self, x):
        if isinstance(x, Value):
            return x
        return Value(x)

    def sort(self, seen=None):
        # returns list with operands first, self last
        if seen is None:
            seen = set()
        if self in seen:
            return []
        seen.add(self)
        result = []
        for p in self._prev:
            result += p.sort(seen)
        return result + [self]

    def backward(self):
        for v in self.sort()[::-1]:
            v._backward()

    def zero_grad(self):
        for v in self.sort():
            v.grad = 0.0
