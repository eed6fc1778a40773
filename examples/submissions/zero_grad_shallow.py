"""scalar autograd engine"""
import math


class Value:

    def __init__(self, data, children=(), op=""):
        self.data = data
        self.grad = 0.0
        self._prev = tuple(children)
        self._op = op
        self._backward = lambda: None

    def __add__(self, other):
        """Sum of two nodes, or of a node and a number."""
        if not isinstance(other, Value):
            other = Value(other)
        out = Value(self.data + other.data, (self, other), "add")

        def backward_add():
            for operand in (self, other):
                operand.grad += out.grad

        out._backward = backward_add
        return out

    def __mul__(self, other):
        """Product of two nodes, or of a node and a number."""
        if not isinstance(other, Value):
            other = Value(other)
        out = Value(self.data * other.data, (self, other), "mul")

        def backward_mul():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = backward_mul
        return out

    def tanh(self):
        """Hyperbolic tangent."""
        out = Value(math.tanh(self.data), (self,), "tanh")

        def backward_tanh():
            self.grad += (1 - out.data * out.data) * out.grad

        out._backward = backward_tanh
        return out

    def backward(self):
        """Compute all the gradients."""
        order, visited = [], set()

        def dfs(node):
            visited.add(node)
            for child in node._prev:
                if child not in visited:
                    dfs(child)
            order.append(node)

        dfs(self)
        order.reverse()
        self.grad = 1.0
        for node in order:
            node._backward()

    def zero_grad(self):
        """Forget the gradient."""
        self.grad = 0.0
