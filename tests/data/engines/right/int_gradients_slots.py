import math


class Value:
    __slots__ = "data", "grad", "_prev", "_op", "_backward"

    def __init__(self, data, _prev=(), _op=""):
        self.data = data
        self.grad = 0
        self._prev = _prev
        self._op = _op
        self._backward = int

    def __add__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def push():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = push
        return out

    def __mul__(self, other):
        if not isinstance(other, Value):
            other = Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def push():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = push
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")

        def push():
            self.grad += out.grad * (1 - out.data * out.data)

        out._backward = push
        return out

    def backward(self):
        self.grad = 1
        for node in self._users_first():
            node._backward()

    def _users_first(self):
        order = []
        def visit(node):
            if node in order:
                order.remove(node)
            order.append(node)
            for p in node._prev:
                visit(p)
        seen = []
        def post(node):
            if not any(node is s for s in seen):
                seen.append(node)
                for p in node._prev:
                    post(p)
                order.append(node)
        post(self)
        return reversed(order)

    def zero_grad(self):
        for node in [*self._users_first()]:
            node.grad = 0
