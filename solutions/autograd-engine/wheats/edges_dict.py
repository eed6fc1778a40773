"""`_prev` is a dict from operand to local derivative, so that a node used twice has one edge of double weight."""
import math


class Value:
    def __init__(self, data, edges=None, op=""):
        self.data, self.grad, self._prev, self._op = data, 0.0, edges or {}, op

    def _backward(self):
        for operand, slope in self._prev.items():
            operand.grad += slope * self.grad

    def _combine(self, data, op, *edges):
        total = {}
        for operand, slope in edges:
            total[operand] = total.get(operand, 0.0) + slope
        return Value(data, total, op)

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return self._combine(self.data + other.data, "+", (self, 1.0), (other, 1.0))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return self._combine(self.data * other.data, "*", (self, other.data), (other, self.data))

    def tanh(self):
        t = math.tanh(self.data)
        return self._combine(t, "tanh", (self, 1 - t * t))

    def _nodes(self):
        nodes = {self: None}
        for node in (todo := [self]):
            for operand in node._prev.keys():
                if operand not in nodes:
                    nodes[operand] = None
                    todo.append(operand)
        return nodes

    def backward(self):
        nodes = self._nodes()
        users = dict.fromkeys(nodes, 0)
        for node in nodes:
            for operand in node._prev:
                users[operand] += 1
        self.grad, ready = 1.0, [self]
        while ready:
            node = ready.pop(0)
            node._backward()
            for operand in node._prev:
                users[operand] -= 1
                if not users[operand]:
                    ready.append(operand)

    def zero_grad(self):
        for node in self._nodes():
            node.grad = 0.0
