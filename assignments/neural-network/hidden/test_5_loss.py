"""``mean_squared_error``: one number that says how wrong all predictions are together. No network is needed."""

import pytest
from number_checks import close, data_of, shown
from varied_cases import LOSSES, show

pytestmark = [pytest.mark.concept("loss"), pytest.mark.subject("mean_squared_error")]

kept_part = pytest.mark.redundant_ok("says which part is wrong: whatever builds on it fails as well")

kept_simplest = pytest.mark.redundant_ok("the simplest case, and the first to read")


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
@pytest.mark.hint(
    "Take the fewest points that go wrong: square each error, add the squares up, divide by how many there are."
)
@kept_part
def test_any_number_of_points(loss_of):
    """The loss is the mean over all points, however many there are, and however large their errors."""
    for numbers, targets in LOSSES:
        loss, _ = loss_of(numbers, targets)
        got = data_of(loss, "the loss")
        expected = sum((p - t) ** 2 for p, t in zip(numbers, targets, strict=True)) / len(targets)
        assert close(got, expected), (
            f"for the predictions {show(numbers)} and the targets {show(targets)} it is {got}"
        )


@pytest.mark.weight(2)
@pytest.mark.hint("Compute with the predictions themselves: their `data` is a plain number, and remembers nothing.")
@kept_part
def test_gradients_of_the_predictions(student, loss_of):
    """After `backward()`, each prediction has the gradient 2 * (prediction - target) / n, and keeps its number."""
    for numbers, targets in LOSSES:
        loss, predictions = loss_of(numbers, targets)
        data_of(loss, "the loss")
        loss.backward()
        got = student.get_attributes(predictions, "grad")
        expected = [2 * (p - t) / len(targets) for p, t in zip(numbers, targets, strict=True)]
        right = all(close(one, number) for one, number in zip(got, expected, strict=True))
        case = f"for the predictions {show(numbers)} and the targets {show(targets)}"
        assert right, f"{case}, the gradients are {shown(got[:6])}"
        after = student.get_attributes(predictions, "data")
        assert list(after) == numbers, f"{case}, the predictions themselves become {shown(after[:6])}"
