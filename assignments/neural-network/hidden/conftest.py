"""What the hidden tests share: networks with known numbers, and the same networks in plain floats."""

import math
from types import SimpleNamespace

import pytest

from autograder.bridge import StudentError


def close(got, expected):
    """Whether the student's number is the right one, to within 1e-9."""
    return isinstance(got, int | float) and math.isclose(got, expected, rel_tol=1e-9, abs_tol=1e-9)


def shown(got):
    """The student's numbers, short enough to read."""
    return ", ".join(f"{one:.6g}" if isinstance(one, int | float) else "no number" for one in got)


class Net:
    """The student's network, and the same in floats: nested lists of weights, the bias last, by layer and neuron."""

    def __init__(self, student, sizes, numbers):
        self._student, self.sizes, self.numbers = student, sizes, numbers
        self.net = student.get("MLP")(sizes[0], sizes[1:])
        self.values = fill_network(student, self.net, numbers)

    def __call__(self, x):
        return self.net(x)

    def data(self):
        """The parameters' numbers, by layer and neuron, weights before the bias."""
        return self._student.get_all(self.values, "data")

    def set_grads(self, grad):
        """Give every parameter a gradient."""
        self._student.set_all((value, "grad", grad) for value in self.values)

    def grads(self):
        """The parameters' gradients, in the order of ``data``."""
        return self._student.get_all(self.values, "grad")


def fill_neuron(student, neuron, numbers):
    """Give a neuron its weights and its bias; return the Values."""
    values = [*neuron.w, neuron.b]
    assert len(values) == len(numbers), f"a neuron with {len(numbers) - 1} inputs has {len(values) - 1} weights"
    student.set_all((value, "data", number) for value, number in zip(values, numbers, strict=True))
    return values


def fill_layer(student, layer, numbers):
    """Give the neurons of a layer their weights and biases; return the Values."""
    neurons = list(layer.neurons)
    assert len(neurons) == len(numbers), f"a layer that should have {len(numbers)} neurons has {len(neurons)}"
    return [v for neuron, row in zip(neurons, numbers, strict=True) for v in fill_neuron(student, neuron, row)]


def fill_network(student, net, numbers):
    """Give all parameters of a network their numbers; return the Values."""
    layers = list(net.layers)
    assert len(layers) == len(numbers), f"a network that should have {len(numbers)} layers has {len(layers)}"
    return [v for layer, rows in zip(layers, numbers, strict=True) for v in fill_layer(student, layer, rows)]


def forward(numbers, x):
    """Return the outputs of every layer in floats, the inputs first; the last layer has no tanh."""
    outputs = [list(x)]
    for depth, layer in enumerate(numbers):
        sums = [sum(w * value for w, value in zip(row, outputs[-1], strict=False)) + row[-1] for row in layer]
        outputs.append(sums if depth == len(numbers) - 1 else [math.tanh(total) for total in sums])
    return outputs


def gradients(numbers, x, upstream):
    """Return the gradients of all parameters, flat, for one point; ``upstream`` has one for each output."""
    outputs, found = forward(numbers, x), []
    for depth in reversed(range(len(numbers))):
        inputs, last = outputs[depth], depth == len(numbers) - 1
        local = [g if last else g * (1 - out**2) for g, out in zip(upstream, outputs[depth + 1], strict=True)]
        found = [part for g in local for part in (*(g * value for value in inputs), g)] + found
        upstream = [
            sum(g * row[place] for g, row in zip(local, numbers[depth], strict=True)) for place in range(len(inputs))
        ]
    return found


def flat(numbers):
    """Return the numbers of a network in the order of ``Net.data``."""
    return [number for layer in numbers for row in layer for number in row]


def nested(values, numbers):
    """Return flat numbers in the shape of others."""
    rest = iter(values)
    return [[[next(rest) for _ in row] for row in layer] for layer in numbers]


def descend(numbers, xs, ys, rate):
    """Return the loss and the numbers after one step of gradient descent, in floats."""
    errors = [forward(numbers, x)[-1][0] - y for x, y in zip(xs, ys, strict=True)]
    loss = sum(error**2 for error in errors) / len(xs)
    each = [gradients(numbers, x, [2 * error / len(xs)]) for x, error in zip(xs, errors, strict=True)]
    moved = [number - rate * sum(parts) for number, *parts in zip(flat(numbers), *each, strict=True)]
    return loss, nested(moved, numbers)


EXAMPLES = {}
"""Networks by name: the sizes, and the numbers."""
EXAMPLES["small"] = ((2, 2, 1), [[[0.5, -0.25, 0.1], [-0.75, 0.5, 0.2]], [[1.5, -2.0, 0.3]]])
EXAMPLES["single"] = ((2, 1), [[[2.0, 2.0, 0.5]]])
EXAMPLES["deep"] = (
    (2, 3, 2, 1),
    [
        [[0.3, -0.2, 0.1], [0.7, 0.4, -0.3], [-0.5, 0.6, 0.2]],
        [[0.2, -0.4, 0.6, 0.1], [-0.3, 0.5, 0.8, -0.2]],
        [[1.2, -0.9, 0.25]],
    ],
)
EXAMPLES["wide"] = (
    (3, 2, 3),
    [[[0.4, -0.6, 0.2, 0.1], [0.3, 0.5, -0.7, -0.2]], [[1.0, 2.0, 0.5], [-3.0, 0.5, 1.0], [2.0, 2.5, -1.0]]],
)
POINTS = ([[2.0, 3.0], [3.0, -1.0], [0.5, 1.0], [1.0, -2.0]], [1.0, -1.0, 0.5, -2.0])


def data_of(value, what="the output"):
    """The number of something that should be a Value."""
    assert not isinstance(value, int | float | str | list | tuple | None), (
        f"{what} is no Value\nReturn a Value, so that backward() can start from it."
    )
    return value.data


@pytest.fixture
def make_net(student):
    """``make_net("small")``: the student's network with known numbers."""

    def make(example):
        sizes, numbers = EXAMPLES[example]
        return Net(student, list(sizes), numbers)

    return make


@pytest.fixture
def make_neuron(student):
    """``make_neuron([2.0, -3.0, 0.5])``: a neuron with these weights, the last number its bias."""

    def make(numbers, *options):
        neuron = student.get("Neuron")(len(numbers) - 1, *options)
        return neuron, fill_neuron(student, neuron, numbers)

    return make


@pytest.fixture
def make_layer(student):
    """``make_layer([[2.0, -3.0, 0.5], ...])``: a layer with these neurons."""

    def make(numbers, *options):
        layer = student.get("Layer")(len(numbers[0]) - 1, len(numbers), *options)
        return layer, fill_layer(student, layer, numbers)

    return make


@pytest.fixture
def attempt(blocked_by):
    """``attempt("Neuron.__call__", work)``: what ``work()`` gives; the test is blocked by that name if it fails."""

    def run(name, work):
        try:
            return work()
        except (AssertionError, AttributeError, StudentError, TypeError, ValueError):
            blocked_by(name)

    return run


@pytest.fixture
def Value(student):
    """The given engine's class."""
    return student.get("Value")


@pytest.fixture
def plain():
    """Give the same computations in plain floats, and what compares with them."""
    return SimpleNamespace(
        close=close, data_of=data_of, descend=descend, flat=flat, forward=forward, gradients=gradients, shown=shown,
        points=POINTS,
    )  # fmt: skip
