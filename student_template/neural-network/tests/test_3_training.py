"""Last: the loss, and steps downhill."""

import math

from value import MLP, Value, mean_squared_error, train, train_step

XS = [[2.0, 3.0], [3.0, -1.0], [0.5, 1.0], [1.0, -2.0]]
YS = [1.0, -1.0, 0.5, -2.0]


def small_network():
    """Make the network of the handout."""
    net = MLP(2, [2, 1])
    rows = [[0.5, -0.25, 0.1], [-0.75, 0.5, 0.2], [1.5, -2.0, 0.3]]
    neurons = [neuron for layer in net.layers for neuron in layer.neurons]
    for neuron, row in zip(neurons, rows, strict=True):
        for value, number in zip([*neuron.w, neuron.b], row, strict=True):
            value.data = number
    return net


def test_the_loss():
    """Predictions 1 and 3 for targets 0 and 1 have a loss of 2.5, as a Value."""
    loss = mean_squared_error([Value(1.0), Value(3.0)], [0.0, 1.0])
    assert isinstance(loss, Value), f"the loss is a {type(loss).__name__}, expected a Value."
    assert math.isclose(loss.data, 2.5), f"the loss is {loss.data}, expected 2.5: the mean of 1 and 4."


def test_a_step_takes_the_loss_down():
    """A step returns the loss before it, and the next step's loss is smaller."""
    net = small_network()
    losses = [train_step(net, XS, YS, 0.05) for _ in range(2)]
    assert isinstance(losses[0], float), f"train_step gave a {type(losses[0]).__name__}, expected a plain number."
    assert math.isclose(losses[0], 12.8303767828, rel_tol=1e-6), (
        f"the first loss is {losses[0]}, expected 12.8303767828."
    )
    assert losses[1] < losses[0], (
        f"the loss went from {losses[0]} to {losses[1]}, expected it to fall. Mind the sign."
    )


def test_three_steps():
    """After three steps, the loss is what the handout says: gradients start from zero in each step."""
    net = small_network()
    losses = train(net, XS, YS, 4, 0.05)
    assert len(losses) == 4, f"train gave {len(losses)} losses for 4 steps."
    hint = "If only the first ones are right: are the gradients cleared before every backward()?"
    assert math.isclose(losses[3], 1.0927602479, rel_tol=1e-6), (
        f"the fourth loss is {losses[3]}, expected 1.0927602479. {hint}"
    )


def test_zero_grad():
    """zero_grad() clears the gradient of every parameter."""
    net = small_network()
    for parameter in net.parameters():
        parameter.grad = 5.0
    net.zero_grad()
    left = sum(parameter.grad != 0 for parameter in net.parameters())
    assert left == 0, f"{left} parameters still have a gradient after zero_grad()."
