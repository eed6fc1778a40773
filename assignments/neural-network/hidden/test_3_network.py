"""``MLP``: layers one after the other, the last one without tanh.

What a network should give is what the student's own layers give one after the other.
"""

import pytest
from number_checks import close, data_of, shown

pytestmark = [
    pytest.mark.concept("network"),
    pytest.mark.needs("MLP.__init__", "Layer.__init__", "Neuron.__init__"),
]

kept_part = pytest.mark.redundant_ok("says which part is wrong: whatever builds on it fails as well")

about_init = pytest.mark.subject("MLP.__init__")
about_call = pytest.mark.subject("MLP.__call__")
needs_calls = pytest.mark.needs("Layer.__call__", "Neuron.__call__")

X = [2.0, 3.0]


@pytest.fixture
def by_layers(make_layer, attempt):
    """What the student's layers give one after the other: outputs, and the Values of all parameters."""

    def find(numbers, x):
        def work():
            values, outs = [], x
            for depth, rows in enumerate(numbers):
                layer, filled = make_layer(rows, depth != len(numbers) - 1)
                values += filled
                outs = [*layer(outs)]
            return outs, [data_of(one) for one in outs], values

        return attempt("Layer.__call__", work)

    return find


def outputs(made):
    """The numbers of a network's outputs."""
    several = isinstance(made, list | tuple)
    return [data_of(one, "an output") for one in (made if several else [made])]


@about_init
@pytest.mark.weight(2)
@pytest.mark.hint("Each layer has as many inputs as the one before it has neurons: put `nin` in front of `nouts`.")
@kept_part
def test_sizes_of_layers(student):
    """`MLP(3, [4, 2])` has a layer of 4 neurons with 3 weights each, and one of 2 neurons with 4 weights each."""
    for nin, nouts in ((3, [4, 2]), (2, [5, 3, 1]), (4, [1])):
        layers = [list(layer.neurons) for layer in student.get("MLP")(nin, nouts).layers]
        sizes = [len(neurons) for neurons in layers]
        assert sizes == nouts, f"the layers of MLP({nin}, {nouts}) have {plain_list(sizes)} neurons"
        weights = [len(neurons[0].w) for neurons in layers]
        assert weights == [nin, *nouts[:-1]], f"the neurons of MLP({nin}, {nouts}) have {plain_list(weights)} weights"


def plain_list(numbers):
    """Numbers in a sentence."""
    return ", ".join(map(str, numbers)) or "no"


@about_call
@needs_calls
@pytest.mark.weight(2)
@pytest.mark.hint("The outputs of a layer are the inputs of the next; the last layer has no tanh.")
@kept_part
def test_two_layers(make_net, by_layers):
    """The network with 2 inputs, 2 hidden neurons and 1 output gives the right number."""
    net = make_net("small")
    got = outputs(net(X))
    _, expected, _ = by_layers(net.numbers, X)
    assert len(got) == 1, f"one neuron at the end gives {len(got)} outputs"
    assert close(got[0], expected[0]), f"the output is {got[0]:.6g}"


@about_call
@needs_calls
@pytest.mark.hint("Go on with the outputs of each layer, through all of them.")
@kept_part
def test_three_layers(make_net, by_layers):
    """With three layers, each gets what the one before it gives."""
    net = make_net("deep")
    got = outputs(net(X))
    _, expected, _ = by_layers(net.numbers, X)
    assert len(got) == 1, f"one neuron at the end gives {len(got)} outputs"
    assert close(got[0], expected[0]), f"the output is {got[0]:.6g}"


@about_call
@needs_calls
@pytest.mark.hint("The layers before the last have tanh, and the last has none: hand `nonlin` to each layer.")
@kept_part
def test_outputs_can_be_any_number(make_net, by_layers):
    """The last layer has no tanh: its outputs can be larger than 1."""
    net = make_net("wide")
    got = outputs(net([1.0, 2.0, 0.5]))
    _, expected, _ = by_layers(net.numbers, [1.0, 2.0, 0.5])
    assert len(got) == 3, f"three neurons at the end give {len(got)} outputs"
    right = all(close(one, number) for one, number in zip(got, expected, strict=True))
    assert right, f"the outputs are {shown(got)}"


@about_call
@needs_calls
@pytest.mark.hint("With one layer, that layer is the last.")
@kept_part
def test_a_single_layer(make_net, by_layers):
    """A network of one layer is a sum with weights and a bias: it has no tanh at all."""
    net = make_net("single")
    _, expected, _ = by_layers(net.numbers, X)
    got = outputs(net(X))
    assert close(got[0], expected[0]), f"for a sum of 10.5, the output is {got[0]:.6g}"


@about_call
@needs_calls
@pytest.mark.hint("`return out[0] if len(out) == 1 else out`")
@kept_part
def test_one_output_or_several(make_net):
    """A network with one output gives it as a Value, and one with several gives a list."""
    single = make_net("small")(X)
    assert not isinstance(single, list | tuple), f"one output comes in a list of {len(single)}"
    data_of(single)
    several = make_net("wide")([1.0, 2.0, 0.5])
    assert isinstance(several, list | tuple), "several outputs come without a list"
    assert len(several) == 3, f"three neurons at the end give {len(several)} outputs"


@about_call
@needs_calls
@pytest.mark.weight(2)
@pytest.mark.hint("Hand the Values on from layer to layer, and not their `data`: numbers remember nothing.")
@kept_part
def test_gradients_reach_the_first_layer(student, make_net, by_layers, blocked_by):
    """After `backward()` from the output, every weight and bias of every layer has its gradient."""
    for example in ("small", "deep"):
        net = make_net(example)
        (own,), _, values = by_layers(net.numbers, X)
        own.backward()
        expected = student.get_attributes(values, "grad")
        if not all(isinstance(one, int | float) for one in expected) or 2 * expected.count(0.0) > len(expected):
            blocked_by("Layer.__call__")
        out = net(X)
        assert not isinstance(out, list | tuple), "one output comes in a list"
        data_of(out)
        out.backward()
        got = net.grads()
        wrong = sum(not close(one, right) for one, right in zip(got, expected, strict=True))
        assert wrong == 0, f"of {len(got)} gradients, {wrong} are wrong"
