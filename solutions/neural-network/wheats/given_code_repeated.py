"""The whole file as it was handed out, with an extra operation for Value outside of the given part."""

# BEGIN GIVEN
import math
import random
from collections.abc import Iterable, Sequence


class Value:
    """A number that remembers how it was made: the engine, ready to use."""

    def __init__(self, data: float, _prev: tuple["Value", ...] = (), _op: str = "") -> None:
        """Make a node; `_prev` and `_op` say which operation made it."""
        self.data = data
        self.grad = 0.0
        self._prev = _prev
        self._op = _op

        def nothing() -> None: ...

        self._backward = nothing

    def __add__(self, other: "Value | float") -> "Value":
        """Return self + other."""
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward() -> None:
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other: "Value | float") -> "Value":
        """Return self * other."""
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward() -> None:
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def __pow__(self, exponent: float) -> "Value":
        """Return self ** exponent, for a plain number as the exponent."""
        out = Value(self.data**exponent, (self,), f"**{exponent}")

        def _backward() -> None:
            self.grad += exponent * self.data ** (exponent - 1) * out.grad

        out._backward = _backward
        return out

    def tanh(self) -> "Value":
        """Return the hyperbolic tangent."""
        t = math.tanh(self.data)
        out = Value(t, (self,), "tanh")

        def _backward() -> None:
            self.grad += (1 - t**2) * out.grad

        out._backward = _backward
        return out

    def __radd__(self, other: float) -> "Value":
        """Return other + self, for a plain number on the left."""
        return self + other

    def __rmul__(self, other: float) -> "Value":
        """Return other * self, for a plain number on the left."""
        return self * other

    def __neg__(self) -> "Value":
        """Return -self."""
        return self * -1.0

    def __sub__(self, other: "Value | float") -> "Value":
        """Return self - other."""
        return self + -other

    def __rsub__(self, other: float) -> "Value":
        """Return other - self, for a plain number on the left."""
        return -self + other

    def __truediv__(self, other: float) -> "Value":
        """Return self / other, for a plain number as the divisor."""
        return self * (1.0 / other)

    def backward(self) -> None:
        """Set `grad` of self to 1.0 and add to `grad` of everything below what each contributes."""
        order: list[Value] = []
        seen = {self}
        stack = [(self, iter(self._prev))]
        while stack:
            node, operands = stack[-1]
            for operand in operands:
                if operand not in seen:
                    seen.add(operand)
                    stack.append((operand, iter(operand._prev)))
                    break
            else:
                order.append(node)
                stack.pop()
        self.grad = 1.0
        for node in reversed(order):
            node._backward()

    def __repr__(self) -> str:
        """Show the number and the gradient."""
        return f"Value(data={self.data}, grad={self.grad})"


Number = Value | float
# END GIVEN


Value.squared = lambda self: self * self


class Module:
    def zero_grad(self):
        for p in self.parameters():
            p.grad = 0

    def parameters(self):
        return []


class Neuron(Module):
    def __init__(self, nin, nonlin=True):
        self.w = [Value(random.uniform(-1, 1)) for _ in range(nin)]
        self.b = Value(0)
        self.nonlin = nonlin

    def __call__(self, x):
        act = sum((wi * xi for wi, xi in zip(self.w, x)), self.b)
        return act.tanh() if self.nonlin else act

    def parameters(self):
        return self.w + [self.b]

    def __repr__(self):
        return f"{'Tanh' if self.nonlin else 'Linear'}Neuron({len(self.w)})"


class Layer(Module):
    def __init__(self, nin, nout, nonlin=True, **kwargs):
        self.neurons = [Neuron(nin, nonlin, **kwargs) for _ in range(nout)]

    def __call__(self, x):
        return [n(x) for n in self.neurons]

    def parameters(self):
        return [p for n in self.neurons for p in n.parameters()]

    def __repr__(self):
        return f"Layer of [{', '.join(str(n) for n in self.neurons)}]"


class MLP(Module):
    def __init__(self, nin, nouts):
        sz = [nin] + list(nouts)
        self.layers = [Layer(sz[i], sz[i + 1], nonlin=i != len(nouts) - 1) for i in range(len(nouts))]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x[0] if len(x) == 1 else x

    def parameters(self):
        return [p for layer in self.layers for p in layer.parameters()]


def mean_squared_error(predictions, targets):
    losses = [(p - t).squared() for p, t in zip(predictions, targets)]
    return sum(losses) * (1.0 / len(losses))


def train_step(net, xs, ys, learning_rate):
    total_loss = mean_squared_error([*map(net, xs)], ys)
    net.zero_grad()
    total_loss.backward()
    for p in net.parameters():
        p.data -= learning_rate * p.grad
    return total_loss.data


def train(net, xs, ys, steps, learning_rate):
    return [train_step(net, xs, ys, learning_rate) for k in range(steps)]
