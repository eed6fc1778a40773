"""tinygrad's way: an operation is a class with forward(ctx, ...) and backward(ctx, gradient), and `apply` builds the node."""
import math


class Context:
    def __init__(self, fn, parents):
        self.fn, self.parents, self.saved = fn, parents, ()

    def save_for_backward(self, *numbers):
        self.saved = numbers


class Function:
    @classmethod
    def apply(cls, *inputs):
        parents = tuple(x if isinstance(x, Value) else Value(x) for x in inputs)
        ctx = Context(cls, parents)
        out = Value(cls.forward(ctx, *(p.data for p in parents)))
        out._ctx, out._prev, out._op = ctx, parents, cls.__name__
        return out


class Add(Function):
    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, g):
        return g, g


class Mul(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved
        return y * g, x * g


class Tanh(Function):
    @staticmethod
    def forward(ctx, x):
        t = math.tanh(x)
        ctx.save_for_backward(t)
        return t

    @staticmethod
    def backward(ctx, g):
        (t,) = ctx.saved
        return ((1 - t * t) * g,)


class Value:
    def __init__(self, data, requires_grad=True):
        self.data, self.grad, self.requires_grad = data, 0.0, requires_grad
        self._ctx, self._prev, self._op = None, (), ""

    def _backward(self):
        if self._ctx is None:
            return
        for parent, g in zip(self._ctx.parents, self._ctx.fn.backward(self._ctx, self.grad), strict=True):
            parent.grad += g

    def deepwalk(self):
        def _deepwalk(node, visited, nodes):
            visited.add(node)
            for i in node._prev:
                if i not in visited:
                    _deepwalk(i, visited, nodes)
            nodes.append(node)
            return nodes

        return _deepwalk(self, set(), [])

    def backward(self):
        walk = self.deepwalk()
        self.grad = 1.0
        for t0 in reversed(walk):
            t0._backward()

    def zero_grad(self):
        for t in self.deepwalk():
            t.grad = 0.0

    def __add__(self, other):
        return Add.apply(self, other)

    def __mul__(self, other):
        return Mul.apply(self, other)

    def tanh(self):
        return Tanh.apply(self)
