import heapq
import math


class Value:
    births = 0

    def __init__(self, data, *prev, op=""):
        Value.births += 1
        self.birth = -Value.births
        self.data, self.grad, self._prev, self._op = data, 0, prev, op

    def _backward(self):
        pass

    def __lt__(self, other):
        return self.birth < other.birth

    def __add__(self, other):
        return Sum(self, other)

    def __mul__(self, other):
        return Product(self, other)

    def tanh(self):
        return Tanh(self)

    def _down(self):
        heap, seen = [self], {self}
        while heap:
            node = heapq.heappop(heap)
            yield node
            for p in node._prev:
                if p not in seen:
                    seen.add(p)
                    heapq.heappush(heap, p)

    def backward(self):
        self.grad = 1
        for node in self._down():
            node._backward()

    def zero_grad(self):
        for node in self._down():
            node.grad = 0


def value(x):
    return x if isinstance(x, Value) else Value(x)


class Sum(Value):
    def __init__(self, a, b):
        a, b = value(a), value(b)
        super().__init__(a.data + b.data, a, b, op="+")
        self.a, self.b = a, b

    def _backward(self):
        self.a.grad += self.grad
        self.b.grad += self.grad


class Product(Value):
    def __init__(self, a, b):
        a, b = value(a), value(b)
        super().__init__(a.data * b.data, a, b, op="*")
        self.a, self.b = a, b

    def _backward(self):
        self.a.grad += self.b.data * self.grad
        self.b.grad += self.a.data * self.grad


class Tanh(Value):
    def __init__(self, a):
        super().__init__(math.tanh(a.data), a, op="tanh")
        self.a = a

    def _backward(self):
        self.a.grad += (1 - self.data**2) * self.grad
