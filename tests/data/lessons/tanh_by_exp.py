from math import exp


class Value:
    """tanh(x) = (e^x - e^-x) / (e^x + e^-x), straight from the definition."""

    def __init__(self, data, _children=(), _op="", label=""):
        self.data = data
        self.grad = 0.0
        self._prev = tuple(dict.fromkeys(_children))  # each child once
        self._op = _op
        self.label = label
        self._backward = lambda: None

    def __repr__(self):
        return f"Value(label={self.label!r}, data={self.data}, grad={self.grad})"

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += 1.0 * out.grad
            other.grad += 1.0 * out.grad

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

    def exp(self):
        out = Value(exp(self.data), (self,), "exp")

        def _backward():
            self.grad += out.data * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        plus, minus = exp(self.data), exp(-self.data)
        t = (plus - minus) / (plus + minus)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad += 4.0 / (plus + minus) ** 2 * out.grad  # 1 / cosh^2

        out._backward = _backward
        return out

    def backward(self):
        topo = []
        visited = set()

        def build_topo(v):
            if v not in visited:
                visited.add(v)
                [build_topo(child) for child in v._prev]
                topo.append(v)

        build_topo(self)
        self.grad = 1.0
        for node in reversed(topo):
            node._backward()

    def zero_grad(self):
        stack, cleared = [self], set()
        while stack:
            node = stack.pop()
            if node not in cleared:
                cleared.add(node)
                node.grad = 0.0
                stack += node._prev
