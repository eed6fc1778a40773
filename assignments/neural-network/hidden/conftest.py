"""Provide hidden tests with the student's classes, with known numbers in them."""

import contextlib

import pytest
from example_networks import EXAMPLES

from autograder.bridge import StudentError


class Net:
    """The student's network, and the same in floats: nested lists of weights, the bias last, by layer and neuron."""

    def __init__(self, student, sizes, numbers):
        self._student, self.sizes, self.numbers = student, sizes, numbers
        self.net = student.get("MLP")(sizes[0], sizes[1:])
        self.values = fill_network(student, self.net, numbers)

    def __call__(self, x):
        return self.net(x)

    def data(self):
        """Return the parameters' numbers, by layer and neuron, weights before the bias."""
        return self._student.get_attributes(self.values, "data")

    def set_grads(self, grad):
        """Give every parameter a gradient."""
        self._student.set_attributes((value, "grad", grad) for value in self.values)

    def grads(self):
        """Return the parameters' gradients, in the order of ``data``."""
        return self._student.get_attributes(self.values, "grad")


def fill_neuron(student, neuron, numbers):
    """Give a neuron its weights and its bias; return the Values."""
    values = [*neuron.w, neuron.b]
    assert len(values) == len(numbers), f"a neuron with {len(numbers) - 1} inputs has {len(values) - 1} weights"
    student.set_attributes((value, "data", number) for value, number in zip(values, numbers, strict=True))
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


@pytest.fixture
def make_net(student):
    """``make_net("small")`` or ``make_net(sizes, numbers)``: the student's network with known numbers."""

    def make(example, numbers=None):
        sizes, numbers = (example, numbers) if numbers else EXAMPLES[example]
        return Net(student, list(sizes), numbers)

    return make


@pytest.fixture
def fewest_layers(student):
    """Find out with how few layers the student's network can be made: 1, or 2.

    A network that cannot have a single layer costs marks where networks are tested.
    """
    make = student.get("MLP")
    try:
        make(1, [1])
    except StudentError:
        with contextlib.suppress(StudentError):
            make(1, [1, 1])
            return 2
    return 1


@pytest.fixture
def make_neuron(student):
    """``make_neuron([2.0, -3.0, 0.5])``: a neuron with these weights, the last number its bias."""

    def make(numbers, *options, **named):
        neuron = student.get("Neuron")(len(numbers) - 1, *options, **named)
        return neuron, fill_neuron(student, neuron, numbers)

    return make


@pytest.fixture
def make_layer(student):
    """``make_layer([[2.0, -3.0, 0.5], ...])``: a layer with these neurons."""

    def make(numbers, *options, **named):
        layer = student.get("Layer")(len(numbers[0]) - 1, len(numbers), *options, **named)
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
def pulled(student):
    """``pulled([a, b], values)``: gradients of the values, cleared first, after ``(a * 1 + b * 2).backward()``."""

    def find(outputs, values):
        total, *others = [out * (place + 1.0) for place, out in enumerate(outputs)]
        for other in others:
            total = total + other
        student.set_attributes((value, "grad", 0.0) for value in values)
        total.backward()
        return student.get_attributes(values, "grad")

    return find
