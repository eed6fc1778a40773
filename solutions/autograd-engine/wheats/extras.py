"""Many more methods and attributes than asked for, among them truth, order, length and conversion."""

import math


class Value:
    _made = 0

    def __init__(self, data, _children=(), _op="", label="", requires_grad=True):
        self.data = data
        self.grad = 0.0
        self._prev = set(_children)
        self._op = _op
        self._backward = lambda: None
        self.label = label
        self.requires_grad = requires_grad
        Value._made += 1
        self.id = Value._made

    def __bool__(self):
        return self.data != 0

    def __float__(self):
        return float(self.data)

    def __int__(self):
        return int(self.data)

    def __lt__(self, other):
        return self.data < getattr(other, "data", other)

    def __gt__(self, other):
        return self.data > getattr(other, "data", other)

    def __len__(self):
        return 1

    def __getitem__(self, index):
        return [self.data, self.grad][index]

    def __call__(self):
        return self.data

    def item(self):
        return self.data

    def parameters(self):
        return [node for node in self._sorted() if not node._prev]

    def draw(self, depth=0):
        lines = [f"{'  ' * depth}{self._op or 'leaf'} {self.data}"]
        return "\n".join(lines + [operand.draw(depth + 1) for operand in self._prev])

    def step(self, rate=0.01):
        for leaf in self.parameters():
            leaf.data -= rate * leaf.grad

    def sigmoid(self):
        s = 1 / (1 + math.exp(-self.data))
        out = Value(s, (self,), "sigmoid")

        def _backward():
            self.grad += s * (1 - s) * out.grad

        out._backward = _backward
        return out

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
