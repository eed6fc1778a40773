"""Value is abstract, with methods that raise NotImplementedError; Value(2.0) makes a Scalar, which has the real ones."""
import math


class Value:
    def __new__(cls, *args, **kwargs):
        return super().__new__(Scalar if cls is Value else cls)

    def __add__(self, other):
        raise NotImplementedError

    def __mul__(self, other):
        raise NotImplementedError

    def tanh(self):
        raise NotImplementedError

    def backward(self):
        raise NotImplementedError

    def zero_grad(self):
        raise NotImplementedError


class Scalar(Value):
    def __init__(self, data, prev=(), op=""):
        self.data = data
        self.grad = 0.0
        self._prev = prev
        self._op = op
        self._backward = lambda: None

    def __add__(self, other):
        if not isinstance(other, Value):
            other = Scalar(other)
        out = Scalar(self.data + other.data, (self, other), "+")

        def back():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = back
        return out

    def __mul__(self, other):
        if not isinstance(other, Value):
            other = Scalar(other)
        out = Scalar(self.data * other.data, (self, other), "*")

        def back():
            self.grad += out.grad * other.data
            other.grad += out.grad * self.data

        out._backward = back
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Scalar(t, (self,), "tanh")

        def back():
            self.grad += out.grad * (1 - t * t)

        out._backward = back
        return out

    def _sorted(self):
        order, seen = [], set()

        def go(node):
            if node in seen:
                return
            seen.add(node)
            for operand in node._prev:
                go(operand)
            order.append(node)

        go(self)
        return order

    def backward(self):
        order = self._sorted()
        self.grad = 1.0
        while order:
            order.pop()._backward()

    def zero_grad(self):
        for node in self._sorted():
            node.grad = 0.0
