"""Check and show the numbers of the student's that a test reads."""

import math


def close(got, expected):
    """Return whether the student's number is the right one, to within 1e-9."""
    return isinstance(got, int | float) and math.isclose(got, expected, rel_tol=1e-9, abs_tol=1e-9)


def shown(got):
    """Return the student's numbers, short enough to read."""
    return ", ".join(f"{one:.6g}" if isinstance(one, int | float) else "no number" for one in got)


def count_of(number, noun):
    """Return a number and a noun: 1 point, 2 points."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def data_of(value, what="the output"):
    """Return the number of something that should be a Value."""
    assert not isinstance(value, int | float | str | list | tuple | None), (
        f"{what} is no Value{_describe_list(value)}\nReturn a Value, so that backward() can start from it."
    )
    return value.data


def _describe_list(value):
    """Say which kind of list a value is; nothing for others."""
    return f", but a {type(value).__name__} of {len(value)}" if isinstance(value, list | tuple) else ""


def equally_spread(drawn, others):
    """Return whether random numbers are as large as others, and leave the range from -1 to 1 only if those do.

    As large: their mean squares agree to within a factor of 2. Those of some hundred numbers from one distribution
    differ by a few per cent.
    """
    one, other = (sum(number * number for number in row) / len(row) for row in (drawn, others))
    beyond = max(map(abs, drawn)) > 1 >= max(map(abs, others))
    return not beyond and one < 2 * other and other < 2 * one


def starting_numbers(student, neurons):
    """Return the weights and the biases that neurons start with."""
    weights = [one for neuron in neurons for one in student.get_attributes(neuron.w, "data")]
    return weights, [neuron.b.data for neuron in neurons]


def check_same_start(numbers, numbers_of_others, where):
    """Check that neurons start as others do, given the ``starting_numbers`` of both.

    Where the others share weights or have other biases than zero, it costs marks elsewhere.
    """
    (weights, biases), (others, other_biases) = numbers, numbers_of_others
    if len(set(others)) == len(others):
        again = len(weights) - len(set(weights))
        assert again == 0, f"of {len(weights)} weights in {where}, {again} stand there already"
        low, high = min(weights), max(weights)
        assert equally_spread(weights, others), f"in {where}, weights go from {low:.3g} to {high:.3g}"
    assert any(other_biases) or not any(biases), f"biases start at {shown([bias for bias in biases if bias][:3])}"
