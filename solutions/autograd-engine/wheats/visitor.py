"""A visitor walks the graph: accept, visit and visit the operands, three calls a node."""
import math


class Visitor:
    def __init__(self):
        self.seen = set()

    def visit(self, node):
        if node not in self.seen:
            self.seen.add(node)
            self.visit_operands(node)
            self.leave(node)

    def visit_operands(self, node):
        for operand in node._prev:
            operand.accept(self)

    def leave(self, node):
        raise NotImplementedError


class Sorter(Visitor):
    def __init__(self):
        super().__init__()
        self.order = []

    def leave(self, node):
        self.order.append(node)


class Zeroer(Visitor):
    def leave(self, node):
        node.grad = 0.0


class Value:
    def __init__(self, data, prev=(), op=""):
        self.data = data
        self.grad = 0.0
        self._prev = prev
        self._op = op
        self._backward = lambda: None

    def accept(self, visitor):
        visitor.visit(self)

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")

        def _backward():
            self.grad += (1 - out.data**2) * out.grad

        out._backward = _backward
        return out

    def backward(self):
        sorter = Sorter()
        self.accept(sorter)
        self.grad = 1.0
        for node in reversed(sorter.order):
            node._backward()

    def zero_grad(self):
        self.accept(Zeroer())
