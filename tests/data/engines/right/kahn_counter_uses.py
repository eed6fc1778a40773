import math
from collections import Counter


class Value:
    def __init__(self, data, _prev=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._prev = _prev
        self._op = _op
        self._backward = lambda: None

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

    def _all(self):
        nodes, i = [self], 0
        ids = {id(self)}
        while i < len(nodes):
            for p in nodes[i]._prev:
                if id(p) not in ids:
                    ids.add(id(p))
                    nodes.append(p)
            i += 1
        return nodes

    def backward(self):
        waits = Counter(id(p) for n in self._all() for p in n._prev)
        self.grad = 1.0
        queue = [self]
        for n in queue:
            n._backward()
            for p in n._prev:
                waits[id(p)] -= 1
                if not waits[id(p)]:
                    queue.append(p)

    def zero_grad(self):
        for n in self._all():
            n.grad = 0.0
