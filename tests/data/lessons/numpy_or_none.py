try:
    import numpy as np
except ImportError:
    np = None
    import math

tanh = np.tanh if np is not None else math.tanh


class Value(object):

    def __init__(self, data, parents=None, op=None):
        self.data = data
        self.grad = 0.
        self._prev = parents or []
        self._op = op or ''
        self._backward = lambda *_: None

    def __add__(self, other):
        other = as_value(other)
        out = Value(self.data + other.data, [self, other], 'add')

        def _backward():
            self.grad = self.grad + out.grad
            other.grad = other.grad + out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = as_value(other)
        out = Value(self.data * other.data, [self, other], 'mul')

        def _backward():
            self.grad = self.grad + other.data * out.grad
            other.grad = other.grad + self.data * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        t = tanh(self.data)
        out = Value(t, [self], 'tanh')

        def _backward():
            self.grad = self.grad + (1 - t * t) * out.grad

        out._backward = _backward
        return out

    def graph(self):
        """Nodes below this one; each after the nodes it was made from."""
        order, todo = [], [(self, False)]
        seen = set()
        while todo:
            node, expanded = todo.pop()
            if expanded:
                order.append(node)
            elif node not in seen:
                seen.add(node)
                todo.append((node, True))
                todo.extend((parent, False) for parent in node._prev)
        return order

    def backward(self):
        self.grad = 1.
        for node in reversed(self.graph()):
            node._backward()

    def zero_grad(self):
        for node in self.graph():
            node.grad = 0.


def as_value(x):
    return x if isinstance(x, Value) else Value(x)


if np is not None:
    assert np.isclose((Value(1.0).tanh()).data, np.tanh(1.0))
