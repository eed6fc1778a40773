import math
import random


class Value:
    def __init__(self, data, _children=(), _op='', label=''):
        self.data = data
        self.grad = 0.0
        self._prev = set(_children)
        self._op = _op
        self.label = label
        self._backward = lambda: None

    def __repr__(self):
        return f"Value({self.label} data={self.data} grad={self.grad})"

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), '+')

        def _backward():
            self.grad += out.grad
            other.grad += out.grad
        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), '*')

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out._backward = _backward
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,), 'tanh')

        def _backward():
            self.grad += (1 - t**2) * out.grad
        out._backward = _backward
        return out

    def backward(self):
        topo = []
        visited = set()

        def build_topo(v):
            if v not in visited:
                visited.add(v)
                for child in v._prev:
                    build_topo(child)
                topo.append(v)
        build_topo(self)

        self.grad = 1.0
        for node in reversed(topo):
            node._backward()

    def zero_grad(self):
        visited = set()

        def visit(v):
            if v not in visited:
                visited.add(v)
                v.grad = 0.0
                for child in v._prev:
                    visit(child)
        visit(self)


# ------------------------------------------------------------------
# train one neuron to be an AND gate
# ------------------------------------------------------------------

name = input("your name: ")
print("hello", name)

random.seed(1)
w1, w2, b = Value(random.random()), Value(random.random()), Value(0.0)
examples = [(-1, -1, -1), (-1, 1, -1), (1, -1, -1), (1, 1, 1)]

step = 0
loss = Value(1.0)
while loss.data > 0:      # stop when it is perfect
    loss = Value(0.0)
    for x1, x2, y in examples:
        error = (w1 * x1 + w2 * x2 + b).tanh() + -y
        loss = loss + error * error
    loss.zero_grad()
    loss.backward()
    for p in (w1, w2, b):
        p.data -= 0.05 * p.grad
    step += 1
    if step % 100 == 0:
        print("step", step, "loss", loss.data)

print("done after", step, "steps")
