import math


class Value:
    def __init__(self, data, _prev=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._prev = _prev
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
            self.grad += (1 - t**2) * out.grad

        out._backward = _backward
        return out

    def nodes(self):
        found = [self]
        for node in found:  # the list grows while we go through it
            for p in node._prev:
                if p not in found:
                    found.append(p)
        return found

    def backward(self):
        # 1. how many nodes are still waiting to pay into this one?
        users = {node: 0 for node in self.nodes()}
        for node in users:
            for p in node._prev:
                users[p] += 1

        # 2. a node goes when nobody is left to pay
        self.grad = 1.0
        todo = [self]
        while todo:
            node = todo.pop()
            if users[node] > 0:
                todo.append(node)  # not yet, try the others first
                continue
            node._backward()
            for p in node._prev:
                users[p] -= 1
                if p not in todo:
                    todo.append(p)

    def zero_grad(self):
        for node in self.nodes():
            node.grad = 0.0
