"""Compute the same networks in plain floats: nested lists of weights, the bias last, by layer and neuron."""

import math


def neuron_output(row, x, nonlin=True):
    """Return what a neuron gives, in floats."""
    total = sum(w * value for w, value in zip(row, x, strict=False)) + row[-1]
    return math.tanh(total) if nonlin else total


def slope_of(row, x, nonlin=True):
    """Return the derivative of a neuron's output by its sum."""
    return 1 - neuron_output(row, x) ** 2 if nonlin else 1.0


def forward(numbers, x):
    """Return the outputs of every layer in floats, the inputs first; the last layer has no tanh."""
    outputs = [list(x)]
    for depth, layer in enumerate(numbers):
        outputs.append([neuron_output(row, outputs[-1], depth != len(numbers) - 1) for row in layer])
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
