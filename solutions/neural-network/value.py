"""A small neural network on a scalar autograd engine.

`Neuron`, `Layer` and `MLP` (multi-layer perceptron) compute with Values, so that one call of `backward()` gives every
weight its gradient; a training step moves each weight against it.
"""

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


class Neuron:
    """Weights, one for each input, and a bias; at the end tanh, or nothing."""

    def __init__(self, nin: int, nonlin: bool = True) -> None:
        """Make a neuron with `nin` inputs.

        `w`: a list of `nin` Values, each a number of its own, drawn by `random.uniform(-1, 1)`. `b`: a Value, 0.0.
        `nonlin` says whether the neuron ends with tanh: keep it for `__call__`.
        """
        # BEGIN SOLUTION
        self.w = [Value(random.uniform(-1, 1)) for _ in range(nin)]
        self.b = Value(0.0)
        self.nonlin = nonlin
        # END SOLUTION

    def __call__(self, x: Sequence[Number]) -> Value:
        """Return tanh(w1*x1 + w2*x2 + ... + b) as one Value; without the tanh where `nonlin` is False.

        `x`: as many numbers or Values as there are weights. This is what Python calls for `neuron(x)`.
        """
        # BEGIN SOLUTION
        total = self.b
        for weight, number in zip(self.w, x, strict=True):
            total = total + weight * number
        return total.tanh() if self.nonlin else total
        # END SOLUTION

    def parameters(self) -> list[Value]:
        """List everything that training changes: the weights and the bias themselves, no copies."""
        # BEGIN SOLUTION
        return [*self.w, self.b]
        # END SOLUTION


class Layer:
    """Neurons side by side: each sees all inputs, and each gives one output."""

    def __init__(self, nin: int, nout: int, nonlin: bool = True) -> None:
        """Make `neurons`, a list of `nout` neurons with `nin` inputs each; `nonlin` holds for all of them."""
        # BEGIN SOLUTION
        self.neurons = [Neuron(nin, nonlin) for _ in range(nout)]
        # END SOLUTION

    def __call__(self, x: Sequence[Number]) -> list[Value]:
        """Return the list of the neurons' outputs, in their order: a list even if there is only one."""
        # BEGIN SOLUTION
        return [neuron(x) for neuron in self.neurons]
        # END SOLUTION

    def parameters(self) -> list[Value]:
        """List the parameters of all neurons."""
        # BEGIN SOLUTION
        return [parameter for neuron in self.neurons for parameter in neuron.parameters()]
        # END SOLUTION


class MLP:
    """Layers one after the other: the outputs of one are the inputs of the next."""

    def __init__(self, nin: int, nouts: Sequence[int]) -> None:
        """Make `layers`, a list: `MLP(3, [4, 2])` has 3 inputs, a layer of 4 neurons and one of 2.

        The neurons of the last layer have no tanh (`nonlin=False`), so that outputs can be any number; all others
        have one.
        """
        # BEGIN SOLUTION
        sizes = [nin, *nouts]
        last = len(nouts) - 1
        self.layers = [Layer(sizes[i], sizes[i + 1], nonlin=i != last) for i in range(len(nouts))]
        # END SOLUTION

    def __call__(self, x: Sequence[Number]) -> Value | list[Value]:
        """Send `x` through all layers; return the one output as a Value, or several as a list."""
        # BEGIN SOLUTION
        outputs: list[Value] = []
        for layer in self.layers:
            outputs = layer(x)
            x = outputs
        return outputs[0] if len(outputs) == 1 else outputs
        # END SOLUTION

    def parameters(self) -> list[Value]:
        """List the parameters of all layers, each once."""
        # BEGIN SOLUTION
        return [parameter for layer in self.layers for parameter in layer.parameters()]
        # END SOLUTION

    def zero_grad(self) -> None:
        """Set `grad` of every parameter to zero; change nothing else."""
        # BEGIN SOLUTION
        for parameter in self.parameters():
            parameter.grad = 0.0
        # END SOLUTION


def mean_squared_error(predictions: Iterable[Value], targets: Sequence[float]) -> Value:
    """Return the mean of (prediction - target)**2 over all pairs, as a Value that `backward()` can start from."""
    # BEGIN SOLUTION
    total = Value(0.0)
    for prediction, target in zip(predictions, targets, strict=True):
        total = total + (prediction - target) ** 2
    return total / len(targets)
    # END SOLUTION


def train_step(net: MLP, xs: Sequence[Sequence[float]], ys: Sequence[float], learning_rate: float) -> float:
    """Make one step of gradient descent on all points, and return the loss before it, as a plain number.

    `net` has one output; `xs` are the points, `ys` what the net should give for each. The loss is the
    mean squared error. Gradients start from zero, whatever was there before; each parameter then moves by
    `learning_rate` times its gradient, downhill.
    """
    # BEGIN SOLUTION
    loss = mean_squared_error([net(x) for x in xs], ys)  # type: ignore[misc]
    net.zero_grad()
    loss.backward()
    for parameter in net.parameters():
        parameter.data -= learning_rate * parameter.grad
    return loss.data
    # END SOLUTION


def train(
    net: MLP, xs: Sequence[Sequence[float]], ys: Sequence[float], steps: int, learning_rate: float
) -> list[float]:
    """Make `steps` training steps, one after the other on the same net; return the loss before each."""
    # BEGIN SOLUTION
    return [train_step(net, xs, ys, learning_rate) for _ in range(steps)]
    # END SOLUTION
