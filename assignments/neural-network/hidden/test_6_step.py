"""``zero_grad`` and ``train_step``: one step downhill, compared with what the network's own gradients ask for.

What a step should do is computed with the student's own network and loss: if one of them computes something else,
that costs marks where it is tested, and not here.
"""

import pytest
from example_networks import POINTS
from number_checks import close, count_of
from varied_cases import TRAININGS, show_network

from autograder.bridge import StudentError

NETWORK = ("MLP.__init__", "MLP.__call__", "MLP.parameters", "Layer.__init__", "Layer.__call__", "Layer.parameters")
NEURON = ("Neuron.__init__", "Neuron.__call__", "Neuron.parameters")

pytestmark = [pytest.mark.concept("training step"), pytest.mark.needs(*NETWORK, *NEURON)]

kept_part = pytest.mark.redundant_ok("says which part is wrong: whatever builds on it fails as well")

about_zero = pytest.mark.subject("MLP.zero_grad")
about_step = pytest.mark.subject("train_step")
needs_loss = pytest.mark.needs("mean_squared_error", "MLP.zero_grad")
kept_simplest = pytest.mark.redundant_ok("the simplest case, and the first to read")
kept_varied = pytest.mark.redundant_ok("sees in many sizes and numbers what the named cases and the whole may hide")

RATE = 0.05


class Trained:
    """Two networks with the same numbers: one that the test moves, and one for the student's step."""

    def __init__(self, student, make_net, blocked_by, example=("small",), points=POINTS):
        self._student, self._blocked_by = student, blocked_by
        self._make_net = lambda: make_net(*example)
        try:
            self.expected_net, self.net = self._make_net(), self._make_net()
        except AssertionError:  # its layers or weights are not those that were asked for
            blocked_by("Layer.__init__")
        self.xs, self.ys = points
        self.loss_before = None

    def gradients(self):
        """The gradients of the loss of all points, with every part of it the student's but the step."""
        self.expected_net.set_grads(0.0)
        predictions = self.predict(self.expected_net)
        if not predictions:
            self._blocked_by("MLP.__call__")
        try:
            loss = self._student.get("mean_squared_error")(predictions, self.ys)
            loss.backward()
            self.loss_before = loss.data
        except (StudentError, TypeError, AttributeError):
            self._blocked_by("mean_squared_error")
        found = self.expected_net.grads()
        if not all(isinstance(one, int | float) for one in found) or not any(found):
            # nothing that a step could follow
            self._blocked_by("MLP.__call__" if self.has_loss_with_gradients() else "mean_squared_error")
        return found

    def predict(self, net, xs=None):
        """What a network gives for all points, or others; nothing if it does not give one Value for each."""
        try:
            found = [net(x) for x in xs or self.xs]
        except (StudentError, TypeError):
            return []
        return [] if any(isinstance(one, int | float | list | tuple | None) for one in found) else found

    def can_predict(self, xs=None):
        """Whether the student's network of this size gives one Value for a point; tried on one more of it."""
        return bool(self.predict(self._make_net(), (xs or self.xs)[:1]))

    def has_loss_with_gradients(self):
        """Whether the student's loss gives predictions a gradient that no network made."""
        predictions = self._student.make_all(self._student.get("Value"), [target + 1.0 for target in self.ys])
        self._student.get("mean_squared_error")([*predictions], self.ys).backward()
        return any(self._student.get_attributes(predictions, "grad"))

    def listed(self):
        """Which of the parameters the student's ``parameters()`` gives, in the order of ``Net.data``."""
        try:
            given = list(self.net.net.parameters())
        except (StudentError, TypeError):
            self._blocked_by("MLP.parameters")
        found = [value in given for value in self.net.values]
        if 3 * sum(found) < len(found) or len(given) != sum(found):
            self._blocked_by("MLP.parameters")
        return found

    def check_step(self, rate=RATE, when="after a step", passed=None):
        """Make a step with both, and compare what ``parameters()`` gives; ``passed``: the same points otherwise."""
        listed, gradients, before = self.listed(), self.gradients(), self.net.data()
        got = self._student.get("train_step")(self.net.net, *(passed or (self.xs, self.ys)), rate)
        after = self.net.data()
        moved = sum(one != other for one, other in zip(after, before, strict=True))
        assert moved > 0, f"{when}, no parameter has changed"
        expected = [b - rate * g for b, g in zip(before, gradients, strict=True)]
        wrong = sum(own and not close(one, right) for one, right, own in zip(after, expected, listed, strict=True))
        assert wrong == 0, f"{when}, {wrong} of {sum(listed)} parameters are not where they should be"
        self._student.set_attributes(
            (value, "data", number) for value, number in zip(self.expected_net.values, after, strict=True)
        )
        return got


@pytest.fixture
def trained(student, make_net, blocked_by):
    """Give two networks with the same numbers."""
    return Trained(student, make_net, blocked_by)


@pytest.fixture
def trained_by(student, make_net, blocked_by):
    """``trained_by(sizes, numbers, points)``: the same for any network and points."""

    def make(sizes, numbers, points):
        return Trained(student, make_net, blocked_by, (sizes, numbers), points)

    return make


@about_zero
@pytest.mark.hint("Go through all of `parameters()` and set `grad` to zero.")
@kept_part
def test_zero_grad_clears_every_parameter(trained):
    """`zero_grad()` sets the gradient of every parameter to zero, and leaves their numbers alone."""
    listed = trained.listed()
    before = trained.net.data()
    trained.net.set_grads(5.0)
    trained.net.net.zero_grad()
    left = sum(own and grad != 0 for grad, own in zip(trained.net.grads(), listed, strict=True))
    assert left == 0, f"{left} of {sum(listed)} parameters still have a gradient"
    assert trained.net.data() == before, "the numbers have changed as well"


@about_zero
@kept_varied
@pytest.mark.hint("All layers, all neurons, all weights and biases; whatever the gradient was.")
def test_zero_grad_of_any_network(student, trained_by, fewest_layers):
    """`zero_grad()` clears gradients of any sign and size, in networks of any number of layers."""
    for sizes, numbers, points, _, _ in TRAININGS:
        if len(sizes) <= fewest_layers:
            continue
        trained = trained_by(sizes, numbers, points)
        listed, values = trained.listed(), trained.net.values
        grads = [(-1.0) ** place * 10.0 ** (place % 5 - 1) for place in range(len(values))]
        student.set_attributes((value, "grad", grad) for value, grad in zip(values, grads, strict=True))
        trained.net.net.zero_grad()
        left = sum(own and grad != 0 for grad, own in zip(trained.net.grads(), listed, strict=True))
        assert left == 0, f"in {show_network(sizes)}, {left} of {sum(listed)} parameters still have a gradient"


@about_step
@needs_loss
@pytest.mark.weight(2)
@kept_simplest
@pytest.mark.hint("The loss of all points, zero_grad, backward, then `p.data -= learning_rate * p.grad` for each.")
def test_a_step_downhill(trained):
    """A step moves every parameter by the learning rate times its gradient, downhill."""
    trained.check_step()


@about_step
@needs_loss
@kept_part
@pytest.mark.weight(2)
@pytest.mark.hint("Clear the gradients before backward(): what is there from earlier would be added to.")
def test_gradients_from_before_do_not_count(trained):
    """A step starts from gradients of zero, whatever was there before."""
    trained.net.set_grads(7.0)
    trained.check_step(when="after a step that began with gradients of 7")


@about_step
@needs_loss
@pytest.mark.weight(2)
@pytest.mark.hint("Gradients add up over steps unless zero_grad comes before each backward().")
@kept_part
def test_three_steps(trained):
    """Three steps in a row go each by the gradients of its own loss."""
    for number in ("the first", "the second", "the third"):
        trained.check_step(when=f"after {number} step")


@about_step
@needs_loss
@pytest.mark.hint("Return `loss.data`: the loss as it was before the parameters moved.")
@kept_part
def test_the_loss_is_returned(trained):
    """A step returns the loss before it, as a plain number."""
    got = trained.check_step()
    assert isinstance(got, int | float), "it returns no plain number"
    assert close(got, trained.loss_before), f"it returns {got:.6g}"


@about_step
@needs_loss
@kept_part
@pytest.mark.hint("Go through points and targets with `zip` or a loop, and leave them as they are.")
def test_points_in_lists_and_tuples(student, trained):
    """Points and targets may stand in tuples; lists that are passed stay as they are."""
    xs, ys = trained.xs, trained.ys
    in_lists = student.make_list(*(student.make_list(*x) for x in xs)), student.make_list(*ys)
    trained.check_step(when="after a step with points in lists", passed=in_lists)
    if trained.can_predict(tuple(map(tuple, xs))):  # a neuron that takes lists alone costs marks there
        trained.check_step(when="after a step with points in tuples", passed=(tuple(map(tuple, xs)), tuple(ys)))
    one = student.make_list(*xs[0])
    trained.can_predict([one])
    if list(one) == xs[0]:  # so does one that changes its inputs
        after = [[*map(list, in_lists[0])], [*in_lists[1]]]
        assert after == [xs, ys], "afterwards, the lists of points and targets that were passed hold something else"


@about_step
@needs_loss
@kept_varied
@pytest.mark.weight(2)
@pytest.mark.hint("All points at once, however many; all layers; the learning rate and the gradients as they come.")
def test_any_step(trained_by, fewest_layers, blocked_by):
    """With any network, any points and any learning rate, two steps go by the gradients of all points."""
    judged = 0
    for sizes, numbers, points, _, rate in TRAININGS:
        if len(sizes) <= fewest_layers:
            continue
        trained = trained_by(sizes, numbers, points)
        if not trained.can_predict():
            continue  # a network of a size that does not work costs marks where networks are tested
        judged += 1
        trained.net.set_grads(-3.0)
        case = f"with {show_network(sizes)}, {count_of(len(points[0]), 'point')} and a rate of {rate:g}"
        for number in ("the first", "the second"):
            trained.check_step(rate, f"{case}, after {number} step")
    if not judged:
        blocked_by("MLP.__call__")
