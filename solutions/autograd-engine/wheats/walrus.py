"""Few lines, with assignments inside expressions."""

from math import tanh


class Value:
    def __init__(self, data, _prev=(), _op=""):
        self.data, self.grad, self._prev, self._op, self._backward = data, 0.0, _prev, _op, lambda: None

    def __add__(self, other):
        if not isinstance(b := other, Value):
            b = Value(other)

        def _backward():
            self.grad += (g := out.grad)
            b.grad += g

        (out := Value(self.data + b.data, (self, b), "+"))._backward = _backward
        return out

    def __mul__(self, other):
        if not isinstance(b := other, Value):
            b = Value(other)

        def _backward():
            self.grad += b.data * (g := out.grad)
            b.grad += self.data * g

        (out := Value(self.data * b.data, (self, b), "*"))._backward = _backward
        return out

    def tanh(self):
        def _backward():
            self.grad += (1 - t * t) * out.grad

        (out := Value(t := tanh(self.data), (self,), "tanh"))._backward = _backward
        return out

    def _order(self):
        seen, order, stack = set(), [], [self]
        while stack:
            if (node := stack[-1]) in seen:
                if (node := stack.pop()) not in order:
                    order.append(node)
            else:
                seen.add(node)
                stack += [operand for operand in node._prev if operand not in seen]
        return order

    def backward(self):
        self.grad = 1.0
        for node in reversed(self._order()):
            node._backward()

    def zero_grad(self):
        for node in self._order():
            node.grad = 0.0
