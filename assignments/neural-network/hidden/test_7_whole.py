"""Training as a whole: every part at once, compared with the same computed in plain floats."""

import pytest
from example_networks import POINTS
from float_network import descend, flat
from number_checks import close, shown

ALL = [f"{name}.{method}" for name in ("Neuron", "Layer", "MLP") for method in ("__init__", "__call__", "parameters")]

pytestmark = [
    pytest.mark.concept("training as a whole"),
    pytest.mark.needs(*ALL, "MLP.zero_grad", "mean_squared_error"),
]

RATE = 0.05
kept_whole = pytest.mark.redundant_ok("marks for the whole, whichever part of it is wrong")
first = pytest.mark.hint("Mend what is said further up first: here all parts come together.")


@pytest.mark.subject("train_step")
@pytest.mark.weight(2)
@kept_whole
@first
def test_a_step_of_a_deep_network(student, make_net):
    """One step with a network of three layers gives the right loss and moves every parameter rightly."""
    net = make_net("deep")
    loss, expected = descend(net.numbers, *POINTS, RATE)
    got = student.get("train_step")(net.net, *POINTS, RATE)
    wrong = sum(not close(one, right) for one, right in zip(net.data(), flat(expected), strict=True))
    assert wrong == 0, f"after it, {wrong} of {len(net.data())} parameters are not where they should be"
    assert close(got, loss), "it returns another loss"


@pytest.mark.subject("train")
@pytest.mark.needs("train_step")
@pytest.mark.weight(2)
@pytest.mark.hint("One training step after the other, on the net that is passed; list what each returns.")
@kept_whole
def test_losses_of_training(student, make_net):
    """`train` returns the loss before each step, and the net is left where the last step took it."""
    net = make_net("small")
    numbers, losses = net.numbers, []
    for _ in range(5):
        loss, numbers = descend(numbers, *POINTS, RATE)
        losses.append(loss)
    got = student.get("train")(net.net, *POINTS, 5, RATE)
    assert isinstance(got, list | tuple), "it returns no list"
    assert len(got) == 5, f"for 5 steps, it returns {len(got)} losses"
    right = [close(one, other) for one, other in zip(got, losses, strict=True)]
    assert all(right), f"from loss {right.index(False) + 1} of 5 on, they are others: {shown(got)}"
    wrong = sum(not close(one, right) for one, right in zip(net.data(), flat(numbers), strict=True))
    assert wrong == 0, f"after it, {wrong} of {len(net.data())} parameters are not where they should be"


@pytest.mark.subject("train")
@pytest.mark.needs("train_step")
@pytest.mark.hint("Train the net that is passed: what it has learnt stays in it.")
@kept_whole
def test_training_goes_on(student, make_net):
    """Training a second time goes on where the first left off, and the loss falls on."""
    net = make_net("small")
    numbers, losses = net.numbers, []
    for _ in range(4):
        loss, numbers = descend(numbers, *POINTS, RATE)
        losses.append(loss)
    train = student.get("train")
    got = [one for steps in (1, 3) for one in train(net.net, *POINTS, steps, RATE)]
    assert len(got) == 4, f"for 1 and then 3 steps, it returns {len(got)} losses"
    right = [close(one, other) for one, other in zip(got, losses, strict=True)]
    assert all(right), f"from loss {right.index(False) + 1} of 4 on, they are others: {shown(got)}"


@pytest.mark.subject("train")
@pytest.mark.needs("train_step")
@pytest.mark.hint("`xs` and `steps` may be of any length: use all points, in each of the steps.")
@kept_whole
def test_many_steps_on_other_points(student, make_net):
    """Training takes all points, however many there are, and makes as many steps as it is asked for."""
    net = make_net("single")
    points = [[1.0, 2.0], [-1.0, 0.5], [0.25, -3.0], [2.0, 2.0], [-2.0, 1.0]], [1.0, -1.0, 0.5, 2.0, -2.0]
    numbers, losses = net.numbers, []
    for _ in range(120):
        loss, numbers = descend(numbers, *points, 0.001)
        losses.append(loss)
    got = student.get("train")(net.net, *points, 120, 0.001)
    assert isinstance(got, list | tuple), "it returns no list"
    assert len(got) == 120, f"for 120 steps, it returns {len(got)} losses"
    right = [close(one, other) for one, other in zip(got, losses, strict=True)]
    assert all(right), f"with five points, the losses are others from loss {right.index(False) + 1} of 120 on"
