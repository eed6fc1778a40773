"""``mean_squared_error``: one number that says how wrong all predictions are together. No network is needed."""

import pytest
from number_checks import close, data_of, shown

pytestmark = [pytest.mark.concept("loss"), pytest.mark.subject("mean_squared_error")]

kept_part = pytest.mark.redundant_ok("says which part is wrong: whatever builds on it fails as well")

kept_simplest = pytest.mark.redundant_ok("the simplest case, and the first to read")
kept_numbers = pytest.mark.redundant_ok("a number at which some slip of the pen shows")


@pytest.fixture
def loss_of(student, Value):
    """``loss, predictions = loss_of([1.0, 3.0], [0.0, 1.0])``."""
    loss = student.get("mean_squared_error")

    def make(numbers, targets):
        predictions = student.make_all(Value, numbers)
        return loss([*predictions], targets), predictions

    return make


@kept_simplest
@pytest.mark.hint("(prediction - target)**2 for each pair, then the mean: the sum divided by their number.")
def test_two_points(loss_of):
    """Predictions 1 and 3 for targets 0 and 1 have a loss of 2.5."""
    loss, _ = loss_of([1.0, 3.0], [0.0, 1.0])
    got = data_of(loss, "the loss")
    assert close(got, 2.5), f"it is {got}"


@pytest.mark.weight(2)
@pytest.mark.hint("The mean: divide by how many points there are, however many that is.")
@kept_part
def test_any_number_of_points(loss_of):
    """The loss is the mean over all points, be there one, four or five."""
    for numbers, targets in (
        ([3.0], [5.0]),
        ([100.0, -50.0], [-3.0, 0.0]),
        ([1.0, 2.0, 3.0, 4.0], [2.0, 4.0, 6.0, 9.0]),
        ([0.5, -1.0, 2.0, 0.0, 7.0], [1.0, 1.0, 1.0, 1.0, 1.0]),
    ):
        loss, _ = loss_of(numbers, targets)
        got = data_of(loss, "the loss")
        expected = sum((p - t) ** 2 for p, t in zip(numbers, targets, strict=True)) / len(targets)
        assert close(got, expected), f"for {len(targets)} points it is {got}"


@kept_numbers
@pytest.mark.hint(
    "A square is never negative, so errors never cancel: square each difference before you add them up."
)
def test_errors_do_not_cancel(loss_of):
    """An error of 2 and one of -2 count for 4 each: they do not cancel."""
    loss, _ = loss_of([5.0, 1.0], [3.0, 3.0])
    got = data_of(loss, "the loss")
    assert close(got, 4.0), f"the loss is {got}"


@pytest.mark.weight(2)
@pytest.mark.hint("Compute with the predictions themselves: their `data` is a plain number, and remembers nothing.")
@kept_part
def test_gradients_of_the_predictions(student, loss_of):
    """After `backward()`, each prediction has the gradient 2 * (prediction - target) / n."""
    numbers, targets = [1.0, 4.0, 3.0, -2.0], [2.0, 1.0, 3.5, -4.0]
    loss, predictions = loss_of(numbers, targets)
    data_of(loss, "the loss")
    loss.backward()
    got = student.get_attributes(predictions, "grad")
    expected = [2 * (p - t) / 4 for p, t in zip(numbers, targets, strict=True)]
    right = all(close(one, number) for one, number in zip(got, expected, strict=True))
    assert right, f"the gradients of four predictions are {shown(got)}"
