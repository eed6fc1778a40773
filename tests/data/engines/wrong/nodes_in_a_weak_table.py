import math
import weakref


ALL = weakref.WeakValueDictionary()


class Value:
    def __init__(self, data, _prev=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._keys = [p._key for p in _prev]
        self._key = len(ALL) and max(ALL) + 1
        ALL[self._key] = self
        self._op = _op
        self._backward = lambda: None

    @property
    def _prev(self):
        return [ALL[k] for k in self._keys if k in ALL]

    @_prev.setter
    def _prev(self, nodes):
        self._keys = [p._key for p in nodes]

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        a, b, o = self._key, other._key, out._key

        def _backward():
            for k in (a, b):
                if k in ALL:
                    ALL[k].grad += ALL[o].grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        a, b, o, x, y = self._key, other._key, out._key, self.data, other.data

        def _backward():
            if a in ALL:
                ALL[a].grad += y * ALL[o].grad
            if b in ALL:
                ALL[b].grad += x * ALL[o].grad

        out._backward = _backward
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        a, o = self._key, out._key

        def _backward():
            if a in ALL:
                ALL[a].grad += (1 - t * t) * ALL[o].grad

        out._backward = _backward
        return out

    def _order(self):
        topo, visited = [], set()

        def build(v):
            if v not in visited:
                visited.add(v)
                for child in v._prev:
                    build(child)
                topo.append(v)

        build(self)
        return topo

    def backward(self):
        topo = self._order()
        self.grad = 1.0
        for v in reversed(topo):
            v._backward()

    def zero_grad(self):
        for v in self._order():
            v.grad = 0.0
