"""A table says for each operation how to compute and how to differentiate; operators are made from it."""

import math

OPERATIONS = {
    "+": (lambda x, y: x + y, lambda x, y: (1.0, 1.0)),
    "*": (lambda x, y: x * y, lambda x, y: (y, x)),
    "tanh": (math.tanh, lambda x: (1 - math.tanh(x) ** 2,)),
}


class Value:
    def __init__(self, data, prev=(), op=""):
        self.data = data
        self.grad = 0.0
        self._prev = prev
        self._op = op
        self._backward = lambda: None

    def _sorted(self):
        topo, visited = [], set()

        def build_topo(v):
            if v not in visited:
                visited.add(v)
                for child in v._prev:
                    build_topo(child)
                topo.append(v)

        build_topo(self)
        return topo

    def backward(self):
        self.grad = 1.0
        for node in reversed(self._sorted()):
            node._backward()

    def zero_grad(self):
        for node in self._sorted():
            node.grad = 0.0


def operator(symbol):
    compute, differentiate = OPERATIONS[symbol]

    def apply(*operands):
        operands = tuple(x if isinstance(x, Value) else Value(x) for x in operands)
        numbers = [x.data for x in operands]
        out = Value(compute(*numbers), operands, symbol)

        def _backward():
            for operand, slope in zip(operands, differentiate(*numbers), strict=True):
                operand.grad += slope * out.grad

        out._backward = _backward
        return out

    return apply


Value.__add__ = operator("+")
Value.__mul__ = operator("*")
Value.tanh = operator("tanh")
