import math
from graphlib import TopologicalSorter


class Value:
    def __init__(self, data, _prev=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._prev = frozenset(_prev)
        self._op = _op
        self._backward = lambda: None

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
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad += (1 - t * t) * out.grad

        out._backward = _backward
        return out

    def _graph(self):
        graph, todo = {}, [self]
        while todo:
            n = todo.pop()
            if n not in graph:
                graph[n] = n._prev
                todo += n._prev
        return [*TopologicalSorter(graph).static_order()]

    def backward(self):
        nodes = self._graph()
        self.grad = 1.0
        for n in reversed(nodes):
            n._backward()

    def zero_grad(self):
        for n in self._graph():
            n.grad = 0.0
