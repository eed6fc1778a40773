"""Unary functions come from `__getattr__`, which looks them up in a table of functions."""
import math

UNARY = {
    "tanh": (math.tanh, lambda x, y: 1 - y * y),
    "exp": (math.exp, lambda x, y: y),
    "relu": (lambda x: max(0.0, x), lambda x, y: float(y > 0)),
}


class Value:
    def __init__(self, data, _prev=(), _op="", _vjp=None):
        self.data, self.grad, self._prev, self._op = data, 0.0, tuple(_prev), _op
        self._vjp = _vjp
        self._backward = self._push

    def _push(self):
        if self._vjp:
            for node, slope in zip(self._prev, self._vjp):
                node.grad += slope * self.grad

    def __getattr__(self, name):
        if name not in UNARY:
            raise AttributeError(name)
        f, df = UNARY[name]

        def call():
            y = f(self.data)
            return Value(y, (self,), name, (df(self.data, y),))

        return call

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), "+", (1, 1))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), "*", (other.data, self.data))

    def _order(self):
        seen, order, stack = {id(self)}, [], [(self, iter(self._prev))]
        while stack:
            node, rest = stack[-1]
            for child in rest:
                if id(child) not in seen:
                    seen.add(id(child))
                    stack.append((child, iter(child._prev)))
                    break
            else:
                order.append(node)
                stack.pop()
        return order[::-1]

    def backward(self):
        order = self._order()
        self.grad = 1.0
        for node in order:
            node._backward()

    def zero_grad(self):
        for node in self._order():
            node.grad = 0.0
