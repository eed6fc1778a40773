import math


class Value:
    def __init__(self, data, _prev=(), _op="leaf", label=None):
        self.data = data
        self.grad = 0.0
        self._prev = _prev
        self._op = _op
        self.label = label
        self._backward = lambda: None

    def __repr__(self, depth=0):
        line = "    " * depth + f"{self.label or self._op}: data={self.data} grad={self.grad}\n"
        return line + "".join(child.__repr__(depth + 1) for child in self._prev)

    def __add__(self, other):
        other = Value(other) if isinstance(other, (int, float)) else other
        out = Value(self.data + other.data, (self, other), "+")

        def chain_rule():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = chain_rule
        return out

    def __mul__(self, other):
        other = Value(other) if isinstance(other, (int, float)) else other
        out = Value(self.data * other.data, (self, other), "*")

        def chain_rule():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = chain_rule
        return out

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def chain_rule():
            self.grad += (1 - t**2) * out.grad

        out._backward = chain_rule
        return out

    def backward(self):
        order = []

        def visit(node):
            if node in order:
                return
            for child in node._prev:
                visit(child)
            order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            node._backward()


x = Value(0.5, label="x")
y = (x * 2 + x.tanh()) * x
y.backward()
print(y)
