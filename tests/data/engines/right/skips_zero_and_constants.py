import math


class Value:
    def __init__(self, data, prev=(), op=""):
        self.data = float(data)
        self.grad = 0.0
        self._prev = prev
        self._op = op
        self._backward = lambda: None

    def __add__(self, other):
        if isinstance(other, Value):
            out = Value(self.data + other.data, (self, other), "+")
        else:
            out = Value(self.data + other, (self,), "+c")

        def back():
            for n in ((self, other) if isinstance(other, Value) else (self,)):
                n.grad += out.grad

        out._backward = back
        return out

    def __mul__(self, other):
        k = other.data if isinstance(other, Value) else float(other)
        out = Value(self.data * k, (self, other) if isinstance(other, Value) else (self,), "*")

        def back():
            if out.grad == 0.0:
                return
            mine = k * out.grad
            theirs = self.data * out.grad
            self.grad += mine
            if isinstance(other, Value):
                other.grad += theirs

        out._backward = back
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def back():
            self.grad += out.grad * (1.0 - t * t)

        out._backward = back
        return out

    def backward(self):
        nodes = self._nodes()
        self.grad = 1.0
        for n in nodes:
            if n.grad != 0.0:
                n._backward()

    def _nodes(self):
        nodes, seen = [], set()
        def go(n):
            if n in seen: return
            seen.add(n)
            for p in reversed(tuple(n._prev)): go(p)
            nodes.insert(0, n)
        go(self)
        return nodes

    def zero_grad(self):
        for n in self._nodes():
            n.grad = 0.0
