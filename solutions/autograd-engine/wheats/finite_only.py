"""data and grad are properties that refuse what is not a finite number."""
import math


def _finite(name):
    def get(self):
        return getattr(self, "_" + name + "_")

    def put(self, value):
        if not isinstance(value, (int, float)) or not math.isfinite(value):
            raise ValueError(f"{name} must be a finite number, not {value!r}")
        setattr(self, "_" + name + "_", value)

    return property(get, put)


class Value:
    data = _finite("data")
    grad = _finite("grad")

    def __init__(self, data, _prev=(), _op=""):
        self.data = data
        self.grad = 0.0
        self._prev = list(_prev)
        self._op = _op
        self._backward = lambda: None

    @classmethod
    def _of(cls, x):
        return x if isinstance(x, cls) else cls(x)

    def __add__(self, other):
        other = self._of(other)
        out = Value(self.data + other.data, [self, other], "add")

        def backward():
            for operand in (self, other):
                operand.grad = operand.grad + out.grad

        out._backward = backward
        return out

    def __mul__(self, other):
        other = self._of(other)
        out = Value(self.data * other.data, [self, other], "mul")

        def backward():
            self.grad = self.grad + other.data * out.grad
            other.grad = other.grad + self.data * out.grad

        out._backward = backward
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), [self], "tanh")

        def backward():
            self.grad = self.grad + (1 - out.data**2) * out.grad

        out._backward = backward
        return out

    def _nodes(self):
        seen, todo, order = set(), [(self, False)], []
        while todo:
            node, done = todo.pop()
            if done:
                order.append(node)
            elif node not in seen:
                seen.add(node)
                todo.append((node, True))
                todo.extend((operand, False) for operand in node._prev)
        return order

    def backward(self):
        order = self._nodes()
        self.grad = 1.0
        for node in reversed(order):
            node._backward()

    def zero_grad(self):
        for node in self._nodes():
            node.grad = 0.0
