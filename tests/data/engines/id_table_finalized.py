import math
import weakref

GRADS = {}


class Value:
    def __init__(self, data, _prev=(), _op=""):
        self.data = data
        self._prev = _prev
        self._op = _op
        self._slopes = ()
        GRADS[id(self)] = 0.0
        weakref.finalize(self, GRADS.pop, id(self), None)

    @property
    def grad(self):
        return GRADS[id(self)]

    @grad.setter
    def grad(self, value):
        GRADS[id(self)] = value

    def _backward(self):
        for node, slope in zip(self._prev, self._slopes):
            node.grad += slope * self.grad

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")
        out._slopes = (1, 1)
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")
        out._slopes = (other.data, self.data)
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")
        out._slopes = (1 - t * t,)
        return out

    def _order(self):
        order, seen = [], set()

        def visit(n):
            if id(n) not in seen:
                seen.add(id(n))
                [visit(p) for p in n._prev]
                order.append(n)

        visit(self)
        return order

    def backward(self):
        self.grad = 1.0
        for n in reversed(self._order()):
            n._backward()

    def zero_grad(self):
        for n in self._order():
            n.grad = 0.0
