"""``MLP``: layers one after the other, the last one without tanh.

What a network should give is what the student's own layers give one after the other.
"""

import pytest
from number_checks import check_same_start, close, data_of, shown, starting_numbers
from varied_cases import NETWORKS, SIZES, show, show_network

pytestmark = [
    pytest.mark.concept("network"),
    pytest.mark.needs("MLP.__init__", "Layer.__init__", "Neuron.__init__"),
]

kept_part = pytest.mark.redundant_ok("says which part is wrong: whatever builds on it fails as well")
kept_varied = pytest.mark.redundant_ok("sees in many sizes and numbers what the named cases and the whole may hide")

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
                outs = outputs_of(layer, outs, len(rows))
            return outs, [data_of(one) for one in outs], values

        return attempt("Layer.__call__", work)

    return find


def outputs_of(layer, x, count):
    """Return what a layer gives, in a list; one that gives one output without a list costs marks elsewhere."""
    made = layer(x)
    try:
        return [*made]
    except TypeError:
        if count > 1 or isinstance(made, int | float | None):
            raise
        return [made]


def outputs(made):
    """The numbers of a network's outputs."""
    several = isinstance(made, list | tuple)
    return [data_of(one, "an output") for one in (made if several else [made])]


@about_init
@pytest.mark.weight(2)
@pytest.mark.hint(
    "Each layer has as many inputs as the one before it has neurons: `[nin, *nouts]`. Leave `nouts` itself as it is."
)
@kept_part
def test_sizes_of_layers(student):
    """`MLP(3, [4, 2])` has a layer of 4 neurons with 3 weights each, and one of 2 neurons with 4 weights each."""
    for nin, nouts in ((3, [4, 2]), (2, [5, 3, 1]), (4, [1]), *((nin, nouts) for nin, *nouts in SIZES)):
        layers = [list(layer.neurons) for layer in student.get("MLP")(nin, nouts).layers]
        sizes = [len(neurons) for neurons in layers]
        assert sizes == nouts, f"the layers of MLP({nin}, {nouts}) have {plain_list(sizes)} neurons"
        weights = [len(neurons[-1].w) for neurons in layers]
        assert weights == [nin, *nouts[:-1]], f"the neurons of MLP({nin}, {nouts}) have {plain_list(weights)} weights"
    nouts = student.make_list(4, 2)
    counts = [len(list(student.get("MLP")(3, nouts).layers)) for _ in range(2)]
    assert counts == [2, 2], f"two networks made from the same list [4, 2] have {plain_list(counts)} layers"


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
@pytest.mark.hint("`return out[0] if len(out) == 1 else out`")
@kept_part
def test_one_output_or_several(make_net):
    """A network with one output gives it as a Value, and one with several gives a list."""
    single = make_net("small")(X)
    assert not isinstance(single, list | tuple), f"one output comes in a {type(single).__name__} of {len(single)}"
    data_of(single)
    several = make_net("wide")([1.0, 2.0, 0.5])
    assert isinstance(several, list | tuple), "several outputs come without a list"
    assert len(several) == 3, f"three neurons at the end give {len(several)} outputs"


@about_init
@pytest.mark.hint("Make each layer anew, even if two have the same sizes, and leave its numbers as they are.")
def test_layers_start_as_layers_do(student):
    """The layers of a network start as any others: with random weights of their own, and biases of zero."""
    others = [student.get("Layer")(9, 9) for _ in range(6)]
    layers = [layer for net in (student.get("MLP")(9, [9, 9, 9]) for _ in range(2)) for layer in net.layers]
    start, usual_start = (
        starting_numbers(student, [neuron for layer in each for neuron in layer.neurons]) for each in (layers, others)
    )
    check_same_start(start, usual_start, "two networks with layers of 9")


@about_init
@pytest.mark.needs("Neuron.__call__")
@pytest.mark.hint(
    "It is the neurons that have tanh: hand `nonlin` to each layer, and let `net(x)` only call the layers."
)
def test_which_neurons_have_tanh(student, make_net, make_neuron, attempt):
    """Called one by one, all neurons of a network have tanh but those of the last layer, which have none."""
    for sizes, numbers in NETWORKS:
        net = make_net(sizes, numbers)
        for depth, (layer, rows) in enumerate(zip(net.net.layers, numbers, strict=True)):
            x, last = [0.5] * sizes[depth], depth == len(numbers) - 1
            expected = attempt(
                "Neuron.__call__", lambda row=rows[-1], x=x, last=last: data_of(make_neuron(row, not last)[0](x))
            )
            got = data_of([*layer.neurons][-1](x))
            where = f"layer {depth + 1} of {len(numbers)} in {show_network(sizes)}"
            assert close(got, expected), f"a neuron of {where} gives {shown([got])}"


@about_call
@needs_calls
@kept_varied
@pytest.mark.weight(2)
@pytest.mark.hint(
    "Make the smallest network that goes wrong: its outputs are those of its layers, one after the other."
)
def test_any_network(make_net, by_layers):
    """A network of any sizes gives what its layers give, as a Value or in a list, at each call."""
    for sizes, numbers in NETWORKS:
        net = make_net(sizes, numbers)
        for call, x in enumerate(([1.0, -0.5, 0.25][: sizes[0]], [2, 0, -1][: sizes[0]])):
            made = net(x)
            several = isinstance(made, list | tuple)
            given = f"{show_network(sizes)}, at call {call + 1},"
            assert several == (sizes[-1] > 1), f"{given} gives {'a list' if several else 'no list'}"
            got = outputs(made)
            _, expected, _ = by_layers(numbers, x)
            assert len(got) == len(expected), f"{given} gives {len(got)} outputs"
            right = all(close(one, number) for one, number in zip(got, expected, strict=True))
            assert right, f"{given} gives {shown(got)} for {show(x)}"


@about_call
@needs_calls
@kept_part
@pytest.mark.weight(2)
@pytest.mark.hint("Hand the Values on from layer to layer, and not their `data`: numbers remember nothing.")
def test_gradients_reach_the_first_layer(make_net, by_layers, pulled, attempt, blocked_by):
    """After `backward()` from the outputs, every weight and bias of every layer has its gradient."""
    for sizes, numbers in NETWORKS:
        net, x = make_net(sizes, numbers), [1.0, -0.5, 0.25][: sizes[0]]
        outs, _, values = by_layers(numbers, x)
        expected = attempt("Layer.__call__", lambda outs=outs, values=values: pulled(outs, values))
        if 2 * expected.count(0.0) > len(expected):
            blocked_by("Layer.__call__")
        made = net(x)
        outputs(made)
        got = pulled(made if isinstance(made, list | tuple) else [made], net.values)
        wrong = sum(not close(one, right) for one, right in zip(got, expected, strict=True))
        assert wrong == 0, f"in {show_network(sizes)}, {wrong} of {len(got)} gradients are wrong"
        net(x)
        changed = sum(one != before for one, before in zip(net.grads(), got, strict=True))
        assert changed == 0, f"in {show_network(sizes)}, the next call changes {changed} of {len(got)} gradients"
