import math
import operator


class Node:
    def __init__(self, data):
        self.data = data
        self.grad = 0.0
        self._prev = ()
        self._op = ""

    def _backward(self):
        pass

    def nodes(self):
        visited = {}

        def visit(n):
            if id(n) in visited:
                return
            visited[id(n)] = None
            for p in n._prev:
                visit(p)
            del visited[id(n)]
            visited[id(n)] = n

        visit(self)
        return [*visited.values()]


class Value(Node):
    table = {"+": (operator.add, lambda a, b: (1, 1)), "*": (operator.mul, lambda a, b: (b.data, a.data))}

    def _binary(self, symbol, other):
        other = other if isinstance(other, Value) else Value(other)
        function, slopes = self.table[symbol]
        out = Value(function(self.data, other.data))
        out._prev, out._op = (self, other), symbol

        def back():
            left, right = slopes(self, other)
            self.grad += left * out.grad
            other.grad += right * out.grad

        out._backward = back
        return out

    def __add__(self, other):
        return self._binary("+", other)

    def __mul__(self, other):
        return self._binary("*", other)

    def tanh(self):
        out = Value(math.tanh(self.data))
        out._prev, out._op = (self,), "tanh"
        out._backward = lambda: setattr(self, "grad", self.grad + (1 - out.data**2) * out.grad)
        return out

    def backward(self):
        nodes = self.nodes()
        self.grad = 1.0
        for n in nodes[::-1]:
            n._backward()

    def zero_grad(self):
        for n in self.nodes():
            n.grad = 0.0
