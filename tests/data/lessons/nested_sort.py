from math import tanh as _tanh


class Value:
    """A scalar that can be differentiated."""

    def __init__(self, data, _prev=(), _op="", label=""):
        self.data, self.grad = data, 0.0
        self._prev, self._op, self.label = _prev, _op, label
        self._backward = lambda: None

    def __repr__(self):
        name = f"{self.label}: " if self.label else ""
        return f"<{name}data={self.data} grad={self.grad}>"

    def __add__(self, other):
        other = self._node(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad, other.grad = (
                (self.grad + out.grad, other.grad + out.grad)
                if self is not other
                else (self.grad + 2 * out.grad,) * 2
            )

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = self._node(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        t = _tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward():
            self.grad += out.grad * (1.0 - t * t)

        out._backward = _backward
        return out

    @classmethod
    def _node(cls, x):
        return x if isinstance(x, cls) else cls(x)

    def _topological_sort(self):
        def dfs(node, visited, order):
            visited.add(id(node))
            for parent in node._prev:
                if id(parent) not in visited:
                    dfs(parent, visited, order)
            order.insert(0, node)
            return order

        return dfs(self, set(), [])

    def backward(self):
        """Fill in .grad of everything this value depends on."""
        self.grad = 1.0
        for node in self._topological_sort():
            node._backward()

    def zero_grad(self):
        for node in self._topological_sort():
            node.grad = 0.0
