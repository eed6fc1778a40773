"""The graph is kept in function objects; `_prev` is read from them for whoever wants to look."""

import math


class Function:
    name = "?"

    def __init__(self, *inputs):
        self.inputs = inputs

    def __call__(self):
        for node, share in zip(self.inputs, self.shares(self.output.grad), strict=True):
            node.grad += share


class Add(Function):
    name = "+"

    def number(self, x, y):
        return x + y

    def shares(self, grad):
        return grad, grad


class Mul(Function):
    name = "*"

    def number(self, x, y):
        return x * y

    def shares(self, grad):
        x, y = self.inputs
        return y.data * grad, x.data * grad


class Tanh(Function):
    name = "tanh"

    def number(self, x):
        return math.tanh(x)

    def shares(self, grad):
        return ((1 - self.output.data**2) * grad,)


class Value:
    def __init__(self, data):
        self.data = data
        self.grad = 0.0
        self.creator = None
        self._op = ""
        self._backward = lambda: None

    @classmethod
    def _of(cls, kind, *inputs):
        function = kind(*(x if isinstance(x, Value) else Value(x) for x in inputs))
        out = cls(function.number(*(x.data for x in function.inputs)))
        out.creator = function
        out._op = function.name
        out._backward = function
        function.output = out
        return out

    @property
    def _prev(self):
        return self.creator.inputs if self.creator else ()

    def __add__(self, other):
        return Value._of(Add, self, other)

    def __mul__(self, other):
        return Value._of(Mul, self, other)

    def tanh(self):
        return Value._of(Tanh, self)

    def _nodes(self):
        order, visited = [], set()

        def visit(node):
            if node in visited:
                return
            visited.add(node)
            if node.creator:
                for operand in node.creator.inputs:
                    visit(operand)
            order.append(node)

        visit(self)
        return order

    def backward(self):
        self.grad = 1.0
        for node in reversed(self._nodes()):
            node._backward()

    def zero_grad(self):
        for node in self._nodes():
            node.grad = 0.0
