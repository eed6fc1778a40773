"""Value is a class within a class, and its operations are classes within Value."""

import math


class Engine:
    class Value:
        class Leaf:
            name = ""

            def __call__(self):
                pass

        class Operation:
            def __init__(self, name, out, *shares):
                self.name = name
                self.out = out
                self.shares = shares

            def __call__(self):
                for node, slope in self.shares:
                    node.grad += slope * self.out.grad

        def __init__(self, data, prev=()):
            self.data = data
            self.grad = 0.0
            self._prev = prev
            self._backward = Engine.Value.Leaf()
            self._op = self._backward.name

        def _made(self, name, *shares):
            self._backward = Engine.Value.Operation(name, self, *shares)
            self._op = name
            return self

        def __add__(self, other):
            other = other if isinstance(other, Engine.Value) else Engine.Value(other)
            return Engine.Value(self.data + other.data, (self, other))._made("+", (self, 1.0), (other, 1.0))

        def __mul__(self, other):
            other = other if isinstance(other, Engine.Value) else Engine.Value(other)
            out = Engine.Value(self.data * other.data, (self, other))
            return out._made("*", (self, other.data), (other, self.data))

        def tanh(self):
            t = math.tanh(self.data)
            return Engine.Value(t, (self,))._made("tanh", (self, 1 - t**2))

        def _walk(self, order):
            if self not in order:
                for operand in self._prev:
                    if operand not in order:
                        operand._walk(order)
                order[self] = len(order)
            return order

        def backward(self):
            self.grad = 1.0
            for node in reversed(self._walk({})):
                node._backward()

        def zero_grad(self):
            for node in self._walk({}):
                node.grad = 0.0


Value = Engine.Value
