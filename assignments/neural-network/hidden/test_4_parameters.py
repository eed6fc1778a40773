"""``parameters()``: everything that training changes, the Values themselves, each once, in any order."""

import pytest
from varied_cases import SIZES, show_network

pytestmark = [pytest.mark.concept("parameters"), pytest.mark.needs("Neuron.__init__")]

kept_part = pytest.mark.redundant_ok("says which part is wrong: whatever builds on it fails as well")
kept_varied = pytest.mark.redundant_ok("sees in many sizes and numbers what the named cases and the whole may hide")

about_neuron = pytest.mark.subject("Neuron.parameters")
about_layer = pytest.mark.subject("Layer.parameters")
about_network = pytest.mark.subject("MLP.parameters")
needs_layer = pytest.mark.needs("Layer.__init__", "Neuron.parameters")
needs_network = pytest.mark.needs("MLP.__init__", "Layer.__init__", "Layer.parameters", "Neuron.parameters")


def look(given, wanted, what):
    """The Values that a method gives are these, each once."""
    assert not isinstance(given, int | float | str | None), "it gives no list"
    found = list(given)
    missing = sum(one not in found for one in wanted)
    strange = sum(one not in wanted for one in found)
    assert missing == 0 or strange < missing, (
        f"of {len(wanted)} weights and biases of {what}, {missing} are not there, "
        f"and {strange} others are\nGive the Values themselves: not their numbers, and no copies."
    )
    assert missing == 0, f"of {len(wanted)} weights and biases of {what}, {missing} are missing"
    assert strange == 0, f"{strange} things are there that are no weight and no bias of {what}"
    assert len(found) == len(wanted), f"{len(found) - len(wanted)} of them are there more than once"


def of_neuron(neuron):
    """The Values that a neuron holds."""
    return [*neuron.w, neuron.b]


def of_layer(layer):
    """The Values that a layer's neurons hold."""
    return [value for neuron in layer.neurons for value in of_neuron(neuron)]


@about_neuron
@pytest.mark.weight(2)
@pytest.mark.hint("All weights, and the bias too.")
@kept_part
def test_of_a_neuron(student):
    """The parameters of a neuron are its weights and its bias, the very same Values."""
    for nin in (3, 1):
        neuron = student.get("Neuron")(nin)
        look(neuron.parameters(), of_neuron(neuron), f"a neuron with {nin} inputs")


@about_neuron
@pytest.mark.hint("Make the list anew at each call, from `w` and `b`; leave `w` as it is.")
@kept_part
def test_asking_twice(student):
    """Asked a second time, a neuron gives the same parameters, and its weights are what they were."""
    neuron = student.get("Neuron")(2)
    wanted = of_neuron(neuron)
    look(neuron.parameters(), wanted, "a neuron")
    look(neuron.parameters(), wanted, "a neuron, asked twice")
    assert len(neuron.w) == 2, f"after that, a neuron with 2 inputs has {len(neuron.w)} weights"


@about_layer
@needs_layer
@pytest.mark.weight(2)
@pytest.mark.hint("One flat list: go through the neurons, and through the parameters of each.")
@kept_part
def test_of_a_layer(student):
    """The parameters of a layer are those of all its neurons, in one flat list."""
    for nin, nout in ((2, 3), (3, 1), (1, 8)):
        layer = student.get("Layer")(nin, nout)
        for what in (f"Layer({nin}, {nout})", f"Layer({nin}, {nout}), asked twice"):
            look(layer.parameters(), of_layer(layer), what)


@about_network
@needs_network
@pytest.mark.weight(3)
@pytest.mark.hint("One flat list: go through all layers, the first and the last too.")
@kept_part
def test_of_a_network(student, fewest_layers):
    """The parameters of a network are those of all its layers, each once, in one flat list."""
    for sizes in ((3, 4, 4, 1), *SIZES):
        if len(sizes) <= fewest_layers:
            continue
        net = student.get("MLP")(sizes[0], [*sizes[1:]])
        values = [value for layer in net.layers for value in of_layer(layer)]
        for what in (show_network(sizes), f"{show_network(sizes)}, asked twice"):
            look(net.parameters(), values, what)


@about_network
@needs_network
@kept_varied
@pytest.mark.hint("Which Values are listed does not depend on their numbers or gradients: list all, each time.")
def test_whatever_their_numbers_are(student):
    """With equal numbers, zeros and gradients, and beside another network, the parameters are the same Values."""
    for sizes in ((2, 2, 1), (2, 3, 3, 1)):
        nets = [student.get("MLP")(sizes[0], [*sizes[1:]]) for _ in range(2)]
        for data, grad in ((0.0, 1.0), (0.0, 0.0), (0.5, -2.0)):
            for net in nets:
                values = [value for layer in net.layers for value in of_layer(layer)]
                student.set_attributes((value, "data", data) for value in values)
                student.set_attributes((value, "grad", grad) for value in values)
                what = f"{show_network(sizes)}, each {data:g} with a gradient of {grad:g}"
                look(net.parameters(), values, what)
