"""First: one neuron. The tests set its weights themselves, so what they are at first does not matter here."""

import math

from value import Neuron, Value


def with_numbers(neuron, weights, bias):
    """Give a neuron its numbers."""
    for value, number in zip(neuron.w, weights, strict=True):
        value.data = number
    neuron.b.data = bias
    return neuron


def test_a_neuron_has_a_weight_for_each_input():
    """A neuron with 3 inputs has 3 weights in .w and a bias in .b, all of them Values."""
    neuron = Neuron(3)
    assert len(neuron.w) == 3, f"Neuron(3).w has {len(neuron.w)} weights, expected 3."
    assert all(isinstance(weight, Value) for weight in neuron.w), "a weight is not a Value. Look at __init__."
    assert neuron.b.data == 0.0, f"the bias starts at {neuron.b.data}, expected 0.0."


def test_weights_start_at_random():
    """Weights start as random numbers between -1 and 1, each drawn for itself."""
    drawn = [weight.data for _ in range(4) for weight in Neuron(5).w]
    assert all(-1 <= number <= 1 for number in drawn), f"they go from {min(drawn)} to {max(drawn)}, expected -1 to 1."
    assert len(set(drawn)) == 20, f"of 20 weights, only {len(set(drawn))} differ. Draw each one for itself."


def test_the_weighted_sum():
    """Without tanh, a neuron gives w1*x1 + w2*x2 + b."""
    neuron = with_numbers(Neuron(2, nonlin=False), [2.0, -3.0], 0.5)
    out = neuron([3.0, 5.0])
    assert out.data == -8.5, f"the output is {out.data}, expected -8.5: 2*3 - 3*5 + 0.5."


def test_tanh_comes_last():
    """With tanh, a neuron gives tanh(w1*x1 + w2*x2 + b)."""
    neuron = with_numbers(Neuron(2), [0.5, -0.25], 0.1)
    out = neuron([2.0, 3.0])
    assert math.isclose(out.data, math.tanh(0.35)), (
        f"the output is {out.data}, expected {math.tanh(0.35)}: tanh(0.35)."
    )


def test_backward_reaches_the_weights():
    """After backward() from the output, each weight has a gradient: its input, where there is no tanh."""
    neuron = with_numbers(Neuron(2, nonlin=False), [2.0, -3.0], 0.5)
    neuron([3.0, 5.0]).backward()
    got = [weight.grad for weight in neuron.w] + [neuron.b.grad]
    assert got == [3.0, 5.0, 1.0], f"the gradients of w1, w2, b are {got}, expected [3.0, 5.0, 1.0]."
