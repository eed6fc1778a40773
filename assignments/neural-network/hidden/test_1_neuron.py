"""``Neuron``: weights and a bias, the weighted sum, and tanh. Tests set the weights, whatever they are at first."""

import math

import pytest
from float_network import neuron_output, slope_of
from number_checks import close, data_of, shown
from varied_cases import NEURONS, show

pytestmark = [pytest.mark.concept("neuron"), pytest.mark.needs("Neuron.__init__")]

kept_part = pytest.mark.redundant_ok("says which part is wrong: whatever builds on it fails as well")

kept_simplest = pytest.mark.redundant_ok("the simplest case, and the first to read")
kept_varied = pytest.mark.redundant_ok("sees in many sizes and numbers what the named cases and the whole may hide")

about_init = pytest.mark.subject("Neuron.__init__")
about_call = pytest.mark.subject("Neuron.__call__")


@about_init
@pytest.mark.hint("`range(nin)`: one weight for each input. The bias is one Value more, in `b`.")
@kept_part
def test_a_weight_for_each_input(student, Value):
    """A neuron with `nin` inputs has `nin` weights in `w` and a bias in `b`, all of them Values."""
    for nin in (3, 1, 2):
        neuron = student.get("Neuron")(nin)
        weights = list(neuron.w)
        assert len(weights) == nin, f"with {nin} inputs, there are {len(weights)} weights"
        assert all(isinstance(one, Value) for one in weights), "a weight is no Value"
        assert isinstance(neuron.b, Value), "the bias is no Value"


@about_init
@pytest.mark.weight(2)
@pytest.mark.hint("Call `random.uniform(-1, 1)` once for each weight. The bias starts at 0.0.")
def test_weights_start_at_random(student):
    """At first, weights are random numbers from -1 to 1, no two of them alike, and biases are zero."""
    neurons = [student.get("Neuron")(nin) for nin in (8, 8, 8, 2000)]
    drawn = [one for neuron in neurons for one in student.get_attributes(neuron.w, "data")]
    assert all(isinstance(one, int | float) for one in drawn), "a weight's data is no number"
    again = len(drawn) - len(set(drawn))
    assert again == 0, f"of {len(drawn)} weights of four neurons, {again} stand there already"
    assert all(-1 <= one <= 1 for one in drawn), f"they go from {min(drawn):.3g} to {max(drawn):.3g}"
    assert min(drawn) < 0 < max(drawn), "all of them have the same sign"
    few = drawn[:24]  # by chance, all of them are above or below a half once in 8 million times
    sizes = sorted(map(abs, few))
    assert sizes[0] < 0.5 < sizes[-1], (
        f"of 8 inputs each, and regardless of sign, they go from {sizes[0]:.3g} to {sizes[-1]:.3g}"
    )
    for start in range(-10, 10):  # a hundred are to be expected; by chance, 40 are missing once in 10 billion times
        found = sum(start <= 10 * one < start + 1 for one in drawn)
        assert 40 < found < 170, (
            f"of {len(drawn)} weights, {found} are between {start / 10:g} and {(start + 1) / 10:g}"
        )
    biases = [neuron.b.data for neuron in neurons]
    assert all(bias == 0 for bias in biases), f"a bias starts at {biases[0]}"


@about_init
@pytest.mark.hint("Make a new Value for each weight: `[Value(...)] * nin` is one Value, many times.")
@kept_part
def test_weights_are_values_of_their_own(student):
    """Every weight and bias is a Value of its own: changing one changes no other."""
    first, second = (student.get("Neuron")(3) for _ in range(2))
    values = [*first.w, first.b, *second.w, second.b]
    assert len(values) == 8, f"two neurons with 3 inputs have {len(values)} weights and biases"
    student.set_attributes((value, "data", float(place)) for place, value in enumerate(values))
    kept = sum(one == place for place, one in enumerate(student.get_attributes(values, "data")))
    assert kept == 8, f"of 8 numbers that were set one after the other, {kept} are still there"


@about_call
@kept_simplest
@pytest.mark.hint("Multiply each weight with its own input, add all that up, and add the bias.")
def test_the_weighted_sum(make_neuron):
    """Without tanh, weights 2 and -3 and bias 0.5 give -8.5 for the inputs 3 and 5."""
    neuron, _ = make_neuron([2.0, -3.0, 0.5], False)
    got = data_of(neuron([3.0, 5.0]))
    assert close(got, -8.5), f"the output is {got}"


@about_call
@pytest.mark.weight(2)
@pytest.mark.hint("tanh comes once, at the very end: tanh(w1*x1 + w2*x2 + b).")
@kept_part
def test_tanh_at_the_end(make_neuron):
    """As it is made, a neuron ends with tanh: of the sum as a whole, the bias included."""
    neuron, _ = make_neuron([0.5, -0.25, 0.1])
    got = data_of(neuron([2.0, 3.0]))
    assert close(got, math.tanh(0.35)), f"for a sum of 0.35, the output is {got}"


@about_call
@pytest.mark.hint("Keep `nonlin` in `__init__`, and ask for it in `__call__`.")
@kept_part
def test_with_and_without_tanh(make_neuron):
    """`Neuron(2, False)` has no tanh, and `Neuron(2, True)` has one."""
    for nonlin, expected in ((False, 0.35), (True, math.tanh(0.35))):
        neuron, _ = make_neuron([0.5, -0.25, 0.1], nonlin)
        got = data_of(neuron([2.0, 3.0]))
        assert close(got, expected), f"with nonlin={nonlin}, a sum of 0.35 gives {got}"


@about_call
@pytest.mark.hint("Compute with the Values themselves: `w.data` is a plain number, and remembers nothing.")
@kept_part
def test_gradients_of_weights_and_bias(student, make_neuron):
    """After `neuron(x).backward()` every weight and the bias has its gradient, with tanh and without."""
    x = [2.0, 3.0]
    for nonlin in (False, True):
        neuron, values = make_neuron([0.5, -0.25, 0.1], nonlin)
        out = neuron(x)
        data_of(out)
        out.backward()
        slope = 1 - math.tanh(0.35) ** 2 if nonlin else 1.0
        got = student.get_attributes(values, "grad")
        right = all(close(one, slope * part) for one, part in zip(got, (*x, 1.0), strict=True))
        assert right, f"with nonlin={nonlin}, the gradients are {shown(got)}"


@about_call
@pytest.mark.hint("An input may be a Value: leave it one, so that the gradient goes on to the layer below.")
@kept_part
def test_inputs_may_be_values(student, Value, make_neuron):
    """Inputs may be Values, and get their gradient: their weight times what comes from above."""
    neuron, _ = make_neuron([0.5, -0.25, 0.1])
    inputs = student.make_all(Value, [2.0, 3.0])
    out = neuron([*inputs])
    got = data_of(out)
    assert close(got, math.tanh(0.35)), f"for a sum of 0.35, the output is {got}"
    out.backward()
    slope = 1 - math.tanh(0.35) ** 2
    got = student.get_attributes(inputs, "grad")
    right = close(got[0], 0.5 * slope) and close(got[1], -0.25 * slope)
    assert right, f"the gradients of the inputs are {shown(got)}"


@about_call
@pytest.mark.hint("Go through the inputs with a loop or `zip`, and ask nothing else of them: `+` joins lists alone.")
@pytest.mark.redundant_ok("the only test with a tuple: of the known mistakes, none takes lists alone")
def test_inputs_may_stand_in_a_tuple(make_neuron):
    """The inputs may stand in a tuple, as in a list."""
    neuron, _ = make_neuron([2.0, -3.0, 0.5], False)
    got = data_of(neuron((3.0, 5.0)))
    assert close(got, -8.5), f"the output is {got}"


@about_call
@pytest.mark.hint("Read the inputs and leave them: `insert`, `append` and `pop` change the list of whoever calls.")
@pytest.mark.redundant_ok("says what happens to the caller's list: later neurons go wrong by it as well")
def test_the_inputs_stay(student, make_neuron):
    """The list of inputs that is passed stays as it is."""
    neuron, _ = make_neuron([2.0, -3.0, 0.5], False)
    x = student.make_list(3.0, 5.0)
    got = data_of(neuron(x))
    assert close(got, -8.5), f"the output is {got}"
    assert list(x) == [3, 5], f"afterwards, the list that was passed holds {shown(list(x))}"


def describe(numbers, named):
    """Say which neuron it is."""
    options = "".join(f", {name}={value}" for name, value in named.items())
    return f"Neuron({len(numbers) - 1}{options}) with weights {show(numbers[:-1])} and bias {numbers[-1]:g}"


@about_call
@kept_varied
@pytest.mark.weight(3)
@pytest.mark.hint(
    "Make the smallest neuron that goes wrong, and do its sum on paper. A call must not remember earlier ones."
)
def test_any_neuron(student, make_neuron):
    """A neuron of any size, with any numbers, gives its sum, or tanh of it, at each call."""
    for numbers, inputs in NEURONS:
        options = ({"nonlin": False}, {}, {"nonlin": True})
        made = [make_neuron(numbers, **named) for named in options]
        for named, (neuron, values) in zip(options, made, strict=True):
            for place, x in enumerate(inputs):
                got = data_of(neuron(x))
                expected = neuron_output(numbers, x, **named)
                assert close(got, expected), (
                    f"{describe(numbers, named)} gives {got} for {show(x)}, at call {place + 1}"
                )
            halves, x = [number / 2 for number in numbers], inputs[0]
            student.set_attributes((value, "data", number) for value, number in zip(values, halves, strict=True))
            got = data_of(neuron(x))
            right = close(got, neuron_output(halves, x, **named))
            assert right, f"{describe(halves, named)} gives {got} for {show(x)}, after calls with other numbers in it"


@about_call
@kept_varied
@pytest.mark.weight(2)
@pytest.mark.hint(
    "Every product and the bias belong to the sum, even if they are zero: nothing may be left out or copied."
)
def test_any_gradients(student, Value, make_neuron):
    """Weights, bias and inputs that are Values get the right gradients, and the next `backward()` adds to them."""
    for numbers, inputs in NEURONS:
        for named in ({"nonlin": False}, {}):
            neuron, values = make_neuron(numbers, **named)
            added = [0.0] * len(values)
            for place, x in enumerate(inputs):
                which = range(place % 2, len(x), 2)  # every other one is a Value, at the next call the others
                nodes = student.make_all(Value, [x[one] for one in which])
                mixed = list(x)
                for one, node in zip(which, nodes, strict=True):
                    mixed[one] = node
                out = neuron(mixed)
                data_of(out)
                out.backward()
                slope = slope_of(numbers, x, **named)
                added = [before + slope * part for before, part in zip(added, (*x, 1.0), strict=True)]
                case = f"{describe(numbers, named)}, for {show(x)} at call {place + 1}"
                got = student.get_attributes(values, "grad")
                right = all(close(one, number) for one, number in zip(got, added, strict=True))
                assert right, f"{case}: the gradients of weights and bias are {shown(got)}"
                got = student.get_attributes(nodes, "grad")
                right = all(close(one, slope * numbers[at]) for one, at in zip(got, which, strict=True))
                assert right, (
                    f"{case}: the gradients of inputs {', '.join(str(one + 1) for one in which)} are {shown(got)}"
                )
