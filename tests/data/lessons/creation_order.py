"""No sort at all: an operand is always older than its result, so the youngest node goes first."""

import heapq
import itertools
import math

_ticket = itertools.count()


class Value:
    def __init__(self, data, _prev=(), _op=""):
        self.data = float(data)
        self.grad = 0.0
        self._prev = _prev
        self._op = _op
        self._backward = lambda: None
        self._born = next(_ticket)

    def __repr__(self):
        return f"Value#{self._born}({self.data}, {self.grad})"

    def __lt__(self, other):  # for the heap: youngest first
        return self._born > other._born

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
            self.grad += (1 - out.data * out.data) * out.grad

        out._backward = _backward
        return out

    def _youngest_first(self):
        heap, known = [self], {self}
        while heap:
            node = heapq.heappop(heap)
            yield node
            for operand in node._prev:
                if operand not in known:
                    known.add(operand)
                    heapq.heappush(heap, operand)

    def backward(self):
        self.grad = 1.0
        for node in self._youngest_first():
            if node.grad:  # nothing to pass on, nothing to do
                node._backward()

    def zero_grad(self):
        for node in self._youngest_first():
            node.grad = 0.0
