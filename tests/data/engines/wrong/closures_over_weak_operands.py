import math
import weakref


class Value:
    def __init__(self, data, _prev=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._links = tuple(weakref.ref(p) for p in _prev)
        self._op = _op
        self._backward = lambda: None

    @property
    def _prev(self):
        return tuple(p for p in (r() for r in self._links) if p is not None)

    @_prev.setter
    def _prev(self, nodes):
        self._links = tuple(weakref.ref(p) for p in nodes)

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        a, b, o = weakref.ref(self), weakref.ref(other), weakref.ref(out)

        def _backward():
            for r in (a, b):
                if r() is not None:
                    r().grad += o().grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        a, b, o, x, y = weakref.ref(self), weakref.ref(other), weakref.ref(out), self.data, other.data

        def _backward():
            if a() is not None:
                a().grad += y * o().grad
            if b() is not None:
                b().grad += x * o().grad

        out._backward = _backward
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        a, o = weakref.ref(self), weakref.ref(out)

        def _backward():
            if a() is not None:
                a().grad += (1 - t * t) * o().grad

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
