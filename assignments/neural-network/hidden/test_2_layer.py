"""``Layer``: neurons side by side. What it should give is what the student's own neurons give one by one."""

import pytest
from number_checks import check_same_start, close, count_of, data_of, shown, starting_numbers
from varied_cases import LAYERS, show

pytestmark = [pytest.mark.concept("layer"), pytest.mark.needs("Layer.__init__", "Neuron.__init__")]

kept_part = pytest.mark.redundant_ok("says which part is wrong: whatever builds on it fails as well")
kept_varied = pytest.mark.redundant_ok("sees in many sizes and numbers what the named cases and the whole may hide")

about_init = pytest.mark.subject("Layer.__init__")
about_call = pytest.mark.subject("Layer.__call__")
needs_neurons = pytest.mark.needs("Neuron.__call__")

NUMBERS = [[2.0, -3.0, 0.5], [1.0, 4.0, -1.0], [-0.5, 0.25, 3.0]]
X = [3.0, 5.0]


@pytest.fixture
def by_neurons(make_neuron, attempt, blocked_by):
    """What the student's neurons with these numbers give one by one: a wrong neuron costs nothing here."""

    def find(numbers, *options, x=X, all_differ=True):
        found = attempt("Neuron.__call__", lambda: [data_of(make_neuron(row, *options)[0](x)) for row in numbers])
        if not all(isinstance(one, int | float) for one in found) or (all_differ and len({*found}) < len(numbers)):
            blocked_by("Neuron.__call__")
        return found

    return find


@about_init
@pytest.mark.weight(2)
@pytest.mark.hint("`nout` neurons, each with `nin` inputs.")
@kept_part
def test_neurons_and_their_inputs(student):
    """`Layer(3, 4)` holds 4 neurons with 3 weights each."""
    for nin, nout in ((3, 4), (2, 1), (1, 3)):
        neurons = list(student.get("Layer")(nin, nout).neurons)
        assert len(neurons) == nout, f"Layer({nin}, {nout}) has {len(neurons)} neurons"
        weights = [len(neuron.w) for neuron in neurons]
        assert weights == [nin] * nout, f"in Layer({nin}, {nout}), a neuron has {weights[0]} weights"


@about_init
@pytest.mark.hint("Make a new neuron for each output: `[Neuron(...)] * nout` is one neuron, many times.")
@kept_part
def test_neurons_of_their_own(student):
    """Every neuron of a layer is a neuron of its own, with weights and a bias of its own."""
    neurons = list(student.get("Layer")(2, 3).neurons)
    assert len(neurons) == 3, f"Layer(2, 3) has {len(neurons)} neurons"
    for what, values in (("weights", [next(iter(one.w)) for one in neurons]), ("biases", [one.b for one in neurons])):
        student.set_attributes((value, "data", float(place)) for place, value in enumerate(values))
        kept = sum(one == place for place, one in enumerate(student.get_attributes(values, "data")))
        assert kept == 3, f"of 3 {what} that were set one after the other, {kept} are still there"


@about_init
@pytest.mark.hint("Call `Neuron(...)` anew for each neuron, and leave its numbers as they are.")
def test_neurons_start_as_neurons_do(student):
    """The neurons of a layer start as any others: with random weights of their own, and biases of zero."""
    others = [student.get("Neuron")(20) for _ in range(30)]
    layers = [student.get("Layer")(20, 15) for _ in range(2)]
    neurons = [neuron for layer in layers for neuron in layer.neurons]
    start, usual_start = (starting_numbers(student, each) for each in (neurons, others))
    check_same_start(start, usual_start, "two layers with 20 inputs")


def listed(made):
    """Return what a layer gave, in a list of the test's own."""
    assert not isinstance(made, int | float | str | None), "it gives no list"
    try:
        return [*made]
    except TypeError:
        raise AssertionError("it gives no list, but one thing alone") from None


def outputs(made, count):
    """The numbers of a layer's outputs."""
    found = [data_of(one, "an output") for one in listed(made)]
    assert len(found) == count, f"of {count_of(count, 'neuron')}, there are {len(found)} outputs"
    return found


@about_call
@needs_neurons
@pytest.mark.hint("Call every neuron with all the inputs, and list what they give.")
@kept_part
def test_an_output_for_each_neuron(make_layer, by_neurons):
    """A layer gives the list of its neurons' outputs, in their order; each neuron sees all inputs."""
    expected = by_neurons(NUMBERS, False)
    layer, _ = make_layer(NUMBERS, False)
    got = outputs(layer(X), 3)
    right = all(close(one, number) for one, number in zip(got, expected, strict=True))
    assert right, f"the outputs are {shown(got)}"


@about_call
@needs_neurons
@pytest.mark.hint("Hand `nonlin` on to every neuron.")
@kept_part
def test_tanh_for_all_or_none(make_layer, by_neurons, blocked_by):
    """All neurons of a layer end with tanh, or none: `nonlin` is handed on."""
    small = [[0.1 * number for number in row] for row in NUMBERS]
    with_tanh, without = by_neurons(small, True), by_neurons(small, False)
    if with_tanh == without:
        blocked_by("Neuron.__call__")
    for options, name in (((), "as it is made"), ((True,), "with nonlin=True"), ((False,), "with nonlin=False")):
        layer, _ = make_layer(small, *options)
        got = outputs(layer(X), 3)
        expected = without if options == (False,) else with_tanh
        right = all(close(one, number) for one, number in zip(got, expected, strict=True))
        assert right, f"{name}, the outputs are {shown(got)}"


@about_call
@needs_neurons
@pytest.mark.hint("A layer always gives a list. The network, at its end, takes the one output out of it.")
@kept_part
def test_a_layer_of_one_neuron(student, make_layer, by_neurons):
    """A layer of one neuron gives a list of one output."""
    (expected,) = by_neurons(NUMBERS[:1], False)
    layer, _ = make_layer(NUMBERS[:1], False)
    made = layer(X)
    assert isinstance(made, list | tuple), f"it gives no list, but a {student.get_class_name(made)}"
    got = outputs(made, 1)
    assert close(got[0], expected), f"the output is {got[0]}"


def describe(numbers, named):
    """Say which layer it is."""
    options = "".join(f", {name}={value}" for name, value in named.items())
    return f"Layer({len(numbers[0]) - 1}, {len(numbers)}{options})"


@about_call
@needs_neurons
@kept_varied
@pytest.mark.weight(2)
@pytest.mark.hint("Make the smallest layer that goes wrong. At each call: every neuron, all the inputs, a new list.")
def test_any_layer(student, make_layer, by_neurons):
    """A layer of any size gives what its neurons give, in a new list at each call."""
    for numbers, inputs in LAYERS:
        for named in ({"nonlin": False}, {}):
            expected = [by_neurons(numbers, *named.values(), x=x, all_differ=False) for x in inputs]
            layer, _ = make_layer(numbers, **named)
            made = [student.call_and_keep_result(layer, x) for x in inputs]
            for place, (one, right) in enumerate(zip(made, expected, strict=True)):
                got = outputs(one, len(numbers))
                same = all(close(a, b) for a, b in zip(got, right, strict=True))
                case = f"for {show(inputs[place])}, as call {place + 1} of 3"
                assert same, f"{describe(numbers, named)} gives {shown(got)} {case}"


@about_call
@needs_neurons
@kept_varied
@pytest.mark.hint(
    "Give the neurons the inputs as they are, and list what they give as it is: not the `data` of either."
)
def test_gradients_go_through_a_layer(student, Value, make_neuron, make_layer, pulled, attempt):
    """Weights, biases and inputs that are Values get the gradients that they get from the neurons one by one."""
    for numbers, (x, *_) in LAYERS:

        def by_neurons(numbers=numbers, x=x):
            made, inputs = [make_neuron(row) for row in numbers], student.make_all(Value, x)
            values = [*(value for _, filled in made for value in filled), *inputs]
            return pulled([neuron([*inputs]) for neuron, _ in made], values)

        expected = attempt("Neuron.__call__", by_neurons)
        layer, values = make_layer(numbers)
        inputs = student.make_all(Value, x)
        outs = listed(layer([*inputs]))
        outputs(outs, len(numbers))
        got = pulled(outs, [*values, *inputs])
        wrong = sum(one != right and not close(one, right) for one, right in zip(got, expected, strict=True))
        assert wrong == 0, f"in {describe(numbers, {})}, {wrong} of {len(got)} gradients are wrong: {shown(got[:6])}"
