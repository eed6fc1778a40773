"""A node that is used more than once gets a gradient from every use."""

import operator
from functools import partial

import number_checks
import pytest

from autograder.bridge import StudentError
from autograder.diagnosis import try_describe_wrong_path_sum

PATHS = {"through n*c": 15.0, "through n*d": 21.0, "through a*e": 11.0}
"""What each path adds to the gradient of a in ``n = a * b; n * c + n * d + a * e`` at 2, 3, 5, 7, 11."""

pytestmark = [
    pytest.mark.concept("accumulation"),
    pytest.mark.needs("__init__"),
]

close = partial(number_checks.close, rel_tol=1e-12)
"""The handout allows rounding errors in the last digits."""
HAD = 10.0
"""What an operand has before: what an operation adds to it counts."""

kept_numbers = pytest.mark.redundant_ok("a number or a graph at which some slip of the pen shows")
kept_sides = pytest.mark.redundant_ok("says which operand or which operation it is")
kept_simplest = pytest.mark.redundant_ok("the simplest case, and the first to read")
kept_whole = pytest.mark.redundant_ok("marks for the whole, whichever part of it is wrong")

add_up = pytest.mark.hint("`_backward` adds to what the operands' `grad` holds already.")
REPLACED = "Use `+=` and not `=` for the operands' gradients in `_backward`."
ONE_USE_LOST = "One of the two uses is lost: is it replaced, or left out because both operands are the same node?"
NOTHING_ARRIVES = (
    "its gradient does not change\nSee local gradients first: does `_backward` write to the operands' `grad`?"
)


def grown_by(operation, numbers, leaves, position=0, had=HAD):
    """What an operand's gradient grows by when the ``_backward`` of a new node is called once."""
    operands = leaves(*numbers)
    out = operation(*operands)
    operand = operands[position]
    assert out is not operand, "the result is the operand itself"
    operand.grad, out.grad = had, -4.0
    out._backward()
    return operand.grad - had


def check_adds(operation, position, leaves):
    """The ``_backward`` of a node adds the same to an operand's gradient, whatever that is, and not nothing.

    Compared with each other and not with the right derivative: a wrong derivative is another concept. Each call is of
    a node of its own: what a second one does is a concept of its own as well.
    """
    share = grown_by(operation, (2.0, 3.0), leaves, position, 0.0)
    assert share != 0, NOTHING_ARRIVES
    for had in (HAD, -HAD, 0.5):
        grown = grown_by(operation, (2.0, 3.0), leaves, position, had)
        hint = f"\n{REPLACED}" if grown == share - had else ""
        assert close(grown, share), f"it had {had}, and has {had + grown} afterwards{hint}"


def steps(outs, operand):
    """What an operand's gradient grows by at the call of each node's ``_backward``."""
    operand.grad, grads = HAD, [HAD]
    for out in outs:
        out.grad = -4.0
        out._backward()
        grads.append(operand.grad)
    return [after - before for before, after in zip(grads, grads[1:], strict=False)]


def check_same_node(operation, leaves):
    """A node that is both operands gets what two different operands get together, and not nothing."""
    (a,) = leaves(3.0)
    out = operation(a, a)
    out.grad = 5.0
    out._backward()
    assert out is not a, "the result is the operand itself"
    together = share_of_each(operation, leaves, 3.0, 5.0)
    grad = a.grad
    hint = f"\n{ONE_USE_LOST}" if grad * 2 == together else ""
    assert close(grad, together), f"its gradient is {grad}; two different operands get {together} together{hint}"


def check_every_time(operation, leaves):
    """Three nodes over one operand each add the same, be it a leaf, a result, or both operands at once.

    One and the same node is left out where a wrong sign makes the shares of two different operands cancel.
    """
    a, b, c = leaves(2.0, 3.0, 5.0)
    n = operation(a, b)
    n = n if isinstance(n, type(a)) else a
    uses = [(lambda: operation(a, b), a), (lambda: operation(n, c), n), (lambda: operation(c, n), n)]
    if share_of_each(operation, leaves, 2.0, -4.0) != 0:
        uses.append((lambda: operation(a, a), a))
    for use, operand in uses:
        grown = steps([use(), use(), use()], operand)
        assert grown[0] != 0, NOTHING_ARRIVES
        hint = f"\n{REPLACED}" if grown[1:] == [0, 0] else ""
        assert max(grown) - min(grown) < 1e-9, f"with three users, a gradient grows by {grown}{hint}"


def as_if(paths, grad):
    """Which path a wrong gradient lost or counted twice, if its number tells."""
    description = try_describe_wrong_path_sum(paths, grad, shows_sum=False) if isinstance(grad, int | float) else None
    return f": {description}" if description else ""


def share_of_each(operation, leaves, number, upstream):
    """What two different operands with the same number get together, each of them not nothing."""
    a, b = leaves(number, number)
    out = operation(a, b)
    out.grad = upstream
    out._backward()
    grads = (a.grad, b.grad)
    assert 0 not in grads, NOTHING_ARRIVES
    return sum(grads)


@pytest.mark.subject("__add__")
@add_up
@kept_sides
def test_a_sum_adds_to_the_gradient_of_its_left_operand(leaves):
    """A sum adds to what its left operand has already."""
    check_adds(operator.add, 0, leaves)


@pytest.mark.subject("__add__")
@add_up
@kept_sides
def test_a_sum_adds_to_the_gradient_of_its_right_operand(leaves):
    """A sum adds to what its right operand has already."""
    check_adds(operator.add, 1, leaves)


@pytest.mark.subject("__mul__")
@add_up
@kept_sides
def test_a_product_adds_to_the_gradient_of_its_left_operand(leaves):
    """A product adds to what its left operand has already."""
    check_adds(operator.mul, 0, leaves)


@pytest.mark.subject("__mul__")
@add_up
@kept_sides
def test_a_product_adds_to_the_gradient_of_its_right_operand(leaves):
    """A product adds to what its right operand has already."""
    check_adds(operator.mul, 1, leaves)


@pytest.mark.subject("__add__")
@add_up
@kept_sides
def test_both_operands_of_a_sum_may_be_the_same_node(leaves):
    """In `a + a`, both uses add to the gradient of a."""
    check_same_node(operator.add, leaves)


@pytest.mark.subject("__mul__")
@add_up
@kept_sides
def test_both_operands_of_a_product_may_be_the_same_node(leaves):
    """In `a * a`, both uses add to the gradient of a."""
    check_same_node(operator.mul, leaves)


@pytest.mark.subject("__add__")
@add_up
@kept_numbers
def test_a_sum_adds_every_time_to_any_operand(leaves):
    """A sum adds to its operands as often as they are used, be they leaves, results or one and the same node."""
    check_every_time(operator.add, leaves)


@pytest.mark.subject("__mul__")
@add_up
def test_a_product_adds_every_time_to_any_operand(leaves):
    """A product adds to its operands as often as they are used, be they leaves, results or one and the same node."""
    check_every_time(operator.mul, leaves)


def check_plain_number(operation, leaves, propagate_gradient):
    """Two operations of a Value with a plain number on the right each add the same to its gradient.

    Where nothing arrives, or the operation fails, it costs marks elsewhere, if two Values do better.
    """
    assert grown_by(operation, (2.0, 3.0), leaves) != 0, NOTHING_ARRIVES
    for number in (3, -0.5):
        a, another = leaves(2.0, 5.0)
        try:
            outs = [operation(a, number) for _ in range(2)]
            a.grad, another.grad, grads = HAD, HAD + 1, [HAD]
            for out in outs:
                propagate_gradient(out, -4.0)
                grads.append(a.grad)
        except StudentError:
            continue
        if out is a or grads[1] == HAD:
            continue
        hint = f"\n{REPLACED}" if grads[1] == grads[2] else ""
        assert close(grads[2] - grads[1], grads[1] - HAD), (
            f"it had {HAD}, after one use {grads[1]}, after two {grads[2]}{hint}"
        )


@pytest.mark.subject("__add__")
@add_up
@kept_sides
def test_a_sum_with_a_plain_number_adds_to_the_gradient(leaves, propagate_gradient):
    """`a + 3` adds to what a has already."""
    check_plain_number(operator.add, leaves, propagate_gradient)


@pytest.mark.subject("__mul__")
@add_up
@kept_sides
def test_a_product_with_a_plain_number_adds_to_the_gradient(leaves, propagate_gradient):
    """`a * 3` adds to what a has already."""
    check_plain_number(operator.mul, leaves, propagate_gradient)


@pytest.mark.subject("__add__", "__mul__")
@add_up
@kept_whole
def test_two_results_share_an_operand(leaves):
    """A node in two operations gets a gradient from each, whichever comes first."""
    alone = []
    for operation in (lambda a, b, c: a * b, lambda a, b, c: c + a):
        a, b, c = leaves(2.0, 3.0, 4.0)
        out = operation(a, b, c)
        out.grad = 5.0
        out._backward()
        alone.append(a.grad)
    assert 0 not in alone, NOTHING_ARRIVES
    for swapped in (False, True):
        a, b, c = leaves(2.0, 3.0, 4.0)
        product, total = a * b, c + a
        product.grad = total.grad = 5.0
        for out in (total, product) if swapped else (product, total):
            out._backward()
        hint = f"\n{REPLACED}" if a.grad in alone else ""
        assert close(a.grad, sum(alone)), f"one gives {alone[0]}, the other {alone[1]}, both together {a.grad}{hint}"


@pytest.mark.subject("__add__")
@add_up
@kept_simplest
def test_a_plus_a(leaves, propagate_gradient):
    """In `b = a + a`, a gets what two different operands of a sum get together."""
    (a,) = leaves(3.0)
    assert a.grad == 0, f"a.grad was set to 0, and is {a.grad}"
    together = share_of_each(operator.add, leaves, 3.0, 1.0)
    propagate_gradient(a + a)
    grad = a.grad
    hint = f"\n{ONE_USE_LOST}" if grad * 2 == together else ""
    assert close(grad, together), f"a.grad is {grad}{hint}"


@pytest.mark.subject("__add__", "__mul__")
@pytest.mark.hint("A leaf that is reached on several ways gets the sum over the ways.")
@kept_whole
def test_a_diamond_of_operators(leaves, propagate_gradient):
    """Where two branches meet in the same leaves, each branch adds its part."""
    for last_first in (False, True):
        a, b = leaves(-2.0, 3.0)
        propagate_gradient((a * b) * (a + b), last_first=last_first)
        assert all(map(close, (a.grad, b.grad), (-3, -8))), f"the gradients are {a.grad} and {b.grad}"


@pytest.mark.subject("__add__")
@pytest.mark.hint("Write down every way from the result to the leaf: which one is missing or counted twice?")
@kept_whole
def test_every_path_through_sums_counts_once(leaves, propagate_gradient):
    """In sums of sums, a leaf's gradient is the number of ways to it."""
    for last_first in (False, True):
        a, b = leaves(2.0, 3.0)
        n = a + b
        m = n + a
        propagate_gradient((m + n) + (m + b), last_first=last_first)
        grads = (a.grad, b.grad)
        assert all(map(close, grads, (5, 4))), f"with five ways to a and four to b, the gradients are {grads}"


@pytest.mark.subject("__add__", "__mul__")
@pytest.mark.hint("Write down every way from the result to the leaf: which one is missing or counted twice?")
@kept_whole
def test_every_path_counts_once(leaves, propagate_gradient):
    """A leaf gets the sum over all paths to it: none is lost, none counts twice."""
    a, b, c, d, e = leaves(2.0, 3.0, 5.0, 7.0, 11.0)
    n = a * b
    propagate_gradient(n * c + n * d + a * e)
    assert close(a.grad, 47), f"with three paths to one leaf, its gradient is {a.grad}{as_if(PATHS, a.grad)}"
    assert close(b.grad, 24), f"with two paths to another, its gradient is {b.grad}"
    a, b, c, d, e = leaves(2.0, 3.0, 5.0, 7.0, 11.0)
    n = b * a
    propagate_gradient(e * a + (d * n + c * n))
    assert close(a.grad, 47), f"with the operands swapped, the first one's gradient is {a.grad}{as_if(PATHS, a.grad)}"
