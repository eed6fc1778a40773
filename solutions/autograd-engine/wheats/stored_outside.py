"""Gradients and graph stand in WeakKeyDictionaries outside; a node is a number with a name."""
import math
import weakref

GRADS, OPERANDS, STEPS = weakref.WeakKeyDictionary(), weakref.WeakKeyDictionary(), weakref.WeakKeyDictionary()


class Value:
    __slots__ = ("data", "_op", "__weakref__")

    def __init__(self, data, _prev=(), _op=""):
        self.data, self._op = data, _op
        OPERANDS[self] = _prev

    grad = property(lambda self: GRADS.get(self, 0.0), GRADS.__setitem__, GRADS.__delitem__)
    _prev = property(OPERANDS.__getitem__, OPERANDS.__setitem__)
    _backward = property(lambda self: STEPS.get(self, lambda: None), STEPS.__setitem__)

    def _from(self, data, op, *edges):
        out = Value(data, tuple(node for node, _ in edges), op)
        ref = weakref.ref(out)

        def step():
            for node, slope in edges:
                node.grad += slope * ref().grad

        out._backward = step
        return out

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return self._from(self.data + other.data, "+", (self, 1), (other, 1))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return self._from(self.data * other.data, "*", (self, other.data), (other, self.data))

    def tanh(self):
        t = math.tanh(self.data)
        return self._from(t, "tanh", (self, 1 - t * t))

    def _order(self):
        order, seen = [], set()

        def go(n):
            if n not in seen:
                seen.add(n)
                for m in n._prev:
                    go(m)
                order.append(n)

        go(self)
        return order

    def backward(self):
        order = self._order()
        self.grad = 1.0
        for n in reversed(order):
            n._backward()

    def zero_grad(self):
        for n in self._order():
            GRADS.pop(n, None)
