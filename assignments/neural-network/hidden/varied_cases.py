"""Neurons, layers, networks and points of many sizes, the smallest first: a few examples hide too much."""

import random

_draw = random.Random("a neural network")


def draw_numbers(count):
    """Draw numbers from -2 to 2 that are exact, short to read and never zero."""
    return [_draw.choice((-1, 1)) * _draw.randint(1, 16) / 8 for _ in range(count)]


def draw_rows(nin, nout):
    """Draw the numbers of a layer: for each neuron its weights, the bias last."""
    return [draw_numbers(nin + 1) for _ in range(nout)]


def draw_points(nin, count):
    """Draw points, and a number for each."""
    return [draw_numbers(nin) for _ in range(count)], draw_numbers(count)


NEURONS = [
    ([2.0, 0.5], ([3.0], [-1.0], [3.0])),
    ([0.5, 0.0], ([0.0], [1.0])),
    ([0.0, 0.25], ([2.0], [-2.0])),
    ([2.0, -3.0, 0.5], ([3, 5], [-1, 0], [1, 1])),
    ([-0.25, 0.5, 0.75, -1.0], ([2.0, 2.0, 2.0], [0.0, 0.0, 0.0])),
    ([0.25, -0.5, 0.125], ([20.0, 30.0], [-40.0, 10.0])),
    *((draw_numbers(nin + 1), (draw_numbers(nin), draw_numbers(nin))) for nin in (3, 4, 5, 6, 8, 12)),
]
"""Weights, the bias last, and inputs that follow one another."""

LAYERS = [
    (draw_rows(nin, nout), (draw_numbers(nin), [1] * nin, draw_numbers(nin)))
    for nin, nout in ((1, 1), (1, 2), (3, 2), (2, 3), (4, 4), (7, 6))
]
"""The numbers of a layer, by neuron, and inputs that follow one another."""

SIZES = [
    (1, 1),
    (1, 2),
    (1, 1, 1),
    (2, 1, 2),
    (2, 2, 2),
    (3, 4, 4, 1),
    (2, 6, 3),
    (2, 2, 1, 3, 2),
    (1, 2, 1, 2, 1, 2),
]
NETWORKS = [(sizes, [draw_rows(*pair) for pair in zip(sizes, sizes[1:], strict=False)]) for sizes in SIZES]
"""Sizes, and the numbers of all layers: equal neighbours, layers of one, and up to five layers."""

LOSSES = [
    ([3.0], [5.0]),
    ([2.0], [2.0]),
    ([5.0, 1.0], [3.0, 3.0]),
    ([100.0, -50.0], [-3.0, 0.0]),
    ([1.0005, 2.0], [1.0, 2.0]),
    ([1.0, 2.0, 3.0], [2, 4, 6]),
    ([1.0, 2.0, 3.0, 4.0], [2.0, 3.0, 4.0, 5.0]),
    ([0.5, -1.0, 2.0, 0.0, 7.0], [1.0, 1.0, 1.0, 1.0, 1.0]),
    ([3.0, 3.0, 3.0, 3.0, 3.0, 3.0], [1.0, -2.0, 1.0, 0.0, -2.0, 1.0]),
    ([1000.0, 4.0], [-500.0, 4.0]),
    (draw_numbers(9), draw_numbers(9)),
    (draw_numbers(40), draw_numbers(40)),
]
"""Predictions and targets."""


def make_training(sizes, count, steps, rate, *, to=1, points=None):
    """Make what ``train`` is given; ``to`` stretches the points' targets."""
    numbers = [draw_rows(*pair) for pair in zip(sizes, sizes[1:], strict=False)]
    xs, ys = points or draw_points(sizes[0], count)
    return sizes, numbers, (xs, [y * to for y in ys]), steps, rate


TRAININGS = [
    make_training((1, 1), 1, 1, 0.1),
    make_training((2, 1), 3, 4, 0.05),
    make_training((1, 1), 2, 3, 0.1, points=([[1], [-2]], [3, -1])),
    make_training((2, 1), 6, 3, 0.02, points=([[1.0, 2.0], [1.0, 2.0], [0.5, -1.0]] * 2, [1.0, 3.0, 0.5] * 2)),
    make_training((1, 1, 1), 2, 5, 0.1),
    make_training(
        (2, 1), 4, 6, 0.001, points=([[30.0, -20.0], [10.0, 25.0], [-15.0, 5.0], [2.0, 1.0]], [3.0, -2.0, 1.0, 0.0])
    ),
    make_training((1, 1), 2, 3, 3.0, points=([[0.25], [-0.125]], [0.5, 0.25])),
    make_training((2, 2, 1), 3, 3, 0.0005, to=100.0),
    make_training((2, 1), 40, 3, 0.05),
    make_training((3, 4, 4, 1), 3, 3, 0.05),
    make_training((2, 3, 2, 3, 1), 2, 3, 0.05),
    make_training((1, 1), 2, 220, 0.002),
]
"""Sizes and numbers of a network with one output, points, steps and learning rate."""


def show(numbers):
    """Return numbers as a sentence lists them; of many, the first six."""
    return ", ".join(f"{number:g}" for number in numbers[:6]) + (", ..." if len(numbers) > 6 else "")


def show_network(sizes):
    """Return the call that makes a network: MLP(3, [4, 1])."""
    return f"MLP({sizes[0]}, [{', '.join(map(str, sizes[1:]))}])"
