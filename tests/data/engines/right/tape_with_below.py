import math
import weakref

class Graph:
    def __init__(self):
        self.nodes = []

    def record(self, node):
        self.nodes.append(weakref.ref(node))

    def alive(self):
        self.nodes = [r for r in self.nodes if r() is not None]
        return [r() for r in self.nodes]

graph = Graph()

class Value:
    def __init__(self, data, prev=(), op='', fn=None):
        self.data = data; self.grad = 0.0; self._prev = tuple(prev); self._op = op
        self.fn = fn
        graph.record(self)
    def _backward(self):
        if self.fn: self.fn(self)
    def __add__(self, o):
        o = o if isinstance(o, Value) else Value(o)
        def fn(out):
            self.grad += out.grad; o.grad += out.grad
        return Value(self.data + o.data, (self, o), '+', fn)
    def __mul__(self, o):
        o = o if isinstance(o, Value) else Value(o)
        def fn(out):
            self.grad += o.data * out.grad; o.grad += self.data * out.grad
        return Value(self.data * o.data, (self, o), '*', fn)
    def tanh(self):
        def fn(out):
            self.grad += (1 - out.data ** 2) * out.grad
        return Value(math.tanh(self.data), (self,), 'tanh', fn)
    def below(self):
        ids = {id(self)}; todo = [self]
        while todo:
            for p in todo.pop()._prev:
                if id(p) not in ids:
                    ids.add(id(p)); todo.append(p)
        return ids
    def backward(self):
        ids = self.below(); self.grad = 1.0
        for node in reversed(graph.alive()):
            if id(node) in ids: node._backward()
    def zero_grad(self):
        ids = self.below()
        for node in graph.alive():
            if id(node) in ids: node.grad = 0.0
