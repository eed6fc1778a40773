"""A small neural network on a scalar autograd engine.

`Neuron`, `Layer` and `MLP` (multi-layer perceptron) compute with Values, so that one call of `backward()` gives every
weight its gradient; a training step moves each weight against it.
"""

# BEGIN GIVEN: yours to use as it is. The grader brings its own copy, so changes here have no effect.
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


class Neuron:
    """Weights, one for each input, and a bias; at the end tanh, or nothing."""

    def __init__(self, nin: int, nonlin: bool = True) -> None:
        """Make a neuron with `nin` inputs.

        `w`: a list of `nin` Values, each a number of its own, drawn by `random.uniform(-1, 1)`. `b`: a Value, 0.0.
        `nonlin` says whether the neuron ends with tanh: keep it for `__call__`.
        """
        raise NotImplementedError("__init__ is not written yet")

    def __call__(self, x: Sequence[Number]) -> Value:
        """Return tanh(w1*x1 + w2*x2 + ... + b) as one Value; without the tanh where `nonlin` is False.

        `x`: as many numbers or Values as there are weights. This is what Python calls for `neuron(x)`.
        """
        raise NotImplementedError("__call__ is not written yet")

    def parameters(self) -> list[Value]:
        """List everything that training changes: the weights and the bias themselves, no copies."""
        raise NotImplementedError("parameters is not written yet")


class Layer:
    """Neurons side by side: each sees all inputs, and each gives one output."""

    def __init__(self, nin: int, nout: int, nonlin: bool = True) -> None:
        """Make `neurons`, a list of `nout` neurons with `nin` inputs each; `nonlin` holds for all of them."""
        raise NotImplementedError("__init__ is not written yet")

    def __call__(self, x: Sequence[Number]) -> list[Value]:
        """Return the list of the neurons' outputs, in their order: a list even if there is only one."""
        raise NotImplementedError("__call__ is not written yet")

    def parameters(self) -> list[Value]:
        """List the parameters of all neurons."""
        raise NotImplementedError("parameters is not written yet")


class MLP:
    """Layers one after the other: the outputs of one are the inputs of the next."""

    def __init__(self, nin: int, nouts: Sequence[int]) -> None:
        """Make `layers`, a list: `MLP(3, [4, 2])` has 3 inputs, a layer of 4 neurons and one of 2.

        The neurons of the last layer have no tanh (`nonlin=False`), so that outputs can be any number; all others
        have one.
        """
        raise NotImplementedError("__init__ is not written yet")

    def __call__(self, x: Sequence[Number]) -> Value | list[Value]:
        """Send `x` through all layers; return the one output as a Value, or several as a list."""
        raise NotImplementedError("__call__ is not written yet")

    def parameters(self) -> list[Value]:
        """List the parameters of all layers, each once."""
        raise NotImplementedError("parameters is not written yet")

    def zero_grad(self) -> None:
        """Set `grad` of every parameter to zero; change nothing else."""
        raise NotImplementedError("zero_grad is not written yet")


def mean_squared_error(predictions: Iterable[Value], targets: Sequence[float]) -> Value:
    """Return the mean of (prediction - target)**2 over all pairs, as a Value that `backward()` can start from."""
    raise NotImplementedError("mean_squared_error is not written yet")


def train_step(net: MLP, xs: Sequence[Sequence[float]], ys: Sequence[float], learning_rate: float) -> float:
    """Make one step of gradient descent on all points, and return the loss before it, as a plain number.

    `net` has one output; `xs` are the points, `ys` what the net should give for each. The loss is the
    mean squared error. Gradients start from zero, whatever was there before; each parameter then moves by
    `learning_rate` times its gradient, downhill.
    """
    raise NotImplementedError("train_step is not written yet")


def train(
    net: MLP, xs: Sequence[Sequence[float]], ys: Sequence[float], steps: int, learning_rate: float
) -> list[float]:
    """Make `steps` training steps, one after the other on the same net; return the loss before each."""
    raise NotImplementedError("train is not written yet")
