import math
import weakref


class Value:
    """Nodes know their users, weakly."""

    def __init__(self, data, _prev=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._prev = tuple(_prev)
        self._op = _op
        self._users = weakref.WeakSet()
        for p in self._prev:
            p._users.add(self)
        me = weakref.ref(self)
        self._rule = None
        self._backward = lambda: me()._apply()

    def _apply(self):
        if self._rule:
            for p, d in zip(self._prev, self._rule()):
                p.grad += d * self.grad

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")
        out._rule = lambda: (1.0, 1.0)
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")
        out._rule = lambda: (other.data, self.data)
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")
        out._rule = lambda: (1 - t * t,)
        return out

    def _below(self):
        nodes = {self}
        todo = [self]
        while todo:
            for p in todo.pop()._prev:
                if p not in nodes:
                    nodes.add(p)
                    todo.append(p)
        return nodes

    def backward(self):
        nodes = self._below()
        self.grad = 1.0
        waits = {n: 0 for n in nodes}
        for n in nodes:
            for p in set(n._prev):
                waits[p] += 1
        ready = [self]
        while ready:
            n = ready.pop()
            n._backward()
            for p in set(n._prev):
                waits[p] -= 1
                if not waits[p]:
                    ready.append(p)

    def zero_grad(self):
        for n in self._below():
            n.grad = 0.0
