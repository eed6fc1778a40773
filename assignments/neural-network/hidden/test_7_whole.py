"""Training as a whole: every part at once, compared with the same computed in plain floats."""

import pytest
from example_networks import POINTS
from float_network import descend, flat
from number_checks import close, count_of, shown
from varied_cases import TRAININGS, show_network

ALL = [f"{name}.{method}" for name in ("Neuron", "Layer", "MLP") for method in ("__init__", "__call__", "parameters")]

pytestmark = [
    pytest.mark.concept("training as a whole"),
    pytest.mark.needs(*ALL, "MLP.zero_grad", "mean_squared_error"),
]

RATE = 0.05
kept_whole = pytest.mark.redundant_ok("marks for the whole, whichever part of it is wrong")


def check_training(got, losses, net, numbers, case):
    """Check what ``train`` returned, and where it left the network."""
    assert isinstance(got, list | tuple), f"{case}, it returns no list"
    assert len(got) == len(losses), f"{case}, it returns {len(got)} losses for {len(losses)} steps"
    right = [close(one, other) for one, other in zip(got, losses, strict=True)]
    assert all(right), f"{case}, loss {right.index(False) + 1} of {len(losses)} is {shown([got[right.index(False)]])}"
    after = net.data()
    wrong = sum(not close(one, other) for one, other in zip(after, flat(numbers), strict=True))
    assert wrong == 0, f"{case}, {wrong} of {len(after)} parameters end where they should not"


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
    check_training(got, losses, net, numbers, "with the handout's network")


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
@kept_whole
@pytest.mark.weight(2)
@pytest.mark.hint(
    "Fix what is said further up first: here all parts come together, for networks and points of any sizes."
)
def test_any_training(student, make_net):
    """With any network, points, learning rate and number of steps, every loss and every parameter is right."""
    for sizes, start, points, steps, rate in TRAININGS:
        net, numbers, losses = make_net(sizes, start), start, []
        for _ in range(steps):
            loss, numbers = descend(numbers, *points, rate)
            losses.append(loss)
        got = student.get("train")(net.net, *points, steps=steps, learning_rate=rate)
        case = f"with {show_network(sizes)} and {count_of(len(points[0]), 'point')}"
        check_training(got, losses, net, numbers, case)


@pytest.mark.subject("train")
@pytest.mark.needs("train_step")
@pytest.mark.hint(
    "As many steps as asked for, all of one kind, even if the loss is zero, or climbs, or nothing is to be done."
)
def test_no_step_is_left_out(student, make_net):
    """`train` makes all steps that it is asked for: if the loss is tiny, if it climbs, and if there are none."""
    xs = [[1.0, 2.0], [-1.0, 0.5], [2.0, -1.0]]
    for case, ys, steps, rate in (
        ("of a net that makes no error", [6.5, -0.5, 2.5], 4, 0.1),
        ("of a net that makes tiny errors", [6.5001, -0.5, 2.5], 5, 0.1),
        ("with a learning rate that is too large", [1.0, 2.0, -1.0], 6, 0.8),
        ("in no step", [1.0, 2.0, -1.0], 0, 0.1),
    ):
        net = make_net("single")
        numbers, losses = net.numbers, []
        for _ in range(steps):
            loss, numbers = descend(numbers, xs, ys, rate)
            losses.append(loss)
        got = student.get("train")(net.net, xs, ys, steps, rate)
        check_training(got, losses, net, numbers, case)
