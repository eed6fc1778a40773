"""Local derivatives by the complex step, f(x + ih).imag / h, right but for the last digit of a product."""
import cmath

H = 1e-8


class Value:
    def __init__(self, data, _prev=(), _op=""):
        self.data, self.grad, self._prev, self._op = data, 0.0, _prev, _op
        self._backward = lambda: None

    @staticmethod
    def _lift(f, op, *nodes):
        nodes = tuple(n if isinstance(n, Value) else Value(n) for n in nodes)
        numbers = [n.data for n in nodes]
        result = f(*numbers)
        out = Value(result.real if isinstance(result, complex) else result, nodes, op)
        slopes = [f(*[x + 1j * H if i == j else x for j, x in enumerate(numbers)]).imag / H for i in range(len(nodes))]

        def backward():
            for node, slope in zip(nodes, slopes):
                node.grad += slope * out.grad

        out._backward = backward
        return out

    def __add__(self, other):
        return self._lift(lambda a, b: a + b, "+", self, other)

    def __mul__(self, other):
        return self._lift(lambda a, b: a * b, "*", self, other)

    def tanh(self):
        return self._lift(cmath.tanh, "tanh", self)

    def _sorted(self):
        order, seen = [], set()

        def visit(v):
            if v not in seen:
                seen.add(v)
                for p in v._prev:
                    visit(p)
                order.append(v)

        visit(self)
        return order

    def backward(self):
        order = self._sorted()
        self.grad = 1.0
        for v in reversed(order):
            v._backward()

    def zero_grad(self):
        for v in self._sorted():
            v.grad = 0.0
