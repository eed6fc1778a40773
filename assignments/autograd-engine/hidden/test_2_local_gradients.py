"""Each operation's own derivative: its gradient is set by hand, its ``_backward`` called, its operands read."""

from functools import partial

import number_checks
import pytest

pytestmark = [
    pytest.mark.concept("local gradients"),
    pytest.mark.needs("__init__"),
]

kept_sides = pytest.mark.redundant_ok("says which operand or which operation it is")
kept_whole = pytest.mark.redundant_ok("marks for the whole, whichever part of it is wrong")

about_add = pytest.mark.subject("__add__")
about_mul = pytest.mark.subject("__mul__")

DECIMALS = (0.123456789, -0.987654321, 0.192837465)
"""Two operands and a gradient of which none survives rounding."""
PLAIN = ((2.0, 3.0, -4.0), (-5.0, 7.0, 3.0), (3.0, 3.0, 5.0), (4, -7, 2.0))
INTS = ((2, 3, 0.5), (5, -7, -0.25), (0, 3, 1.5))
LARGE_AND_SMALL = ((2.0, 3.0, 5000.0), (2.0, 3.0, 1e-9), (2.0, 3.0, -1e-12), (2, 3.0, 1e-30), (2.0, -3, 1e30))
SUMMANDS = (*PLAIN, *INTS, *LARGE_AND_SMALL, DECIMALS)
"""Equal numbers are among them, and gradients that are fractions, large and small."""
FACTORS = (
    *SUMMANDS,
    *((1e-9, -1e-9, 5.0), (1e-12, 3.0, 5.0), (0.0, 3.0, 5.0), (3.0, 0.0, 5.0), (2.0, 3.0, 0.0)),
    *((200.0, 300.0, 5.0), (1e30, -1e-30, 5.0)),
)
close = partial(number_checks.close, rel_tol=1e-12)
"""The handout allows rounding errors in the last digits."""

NOTHING_ARRIVES = "the gradients of the operands are 0\nDoes `_backward` write to the operands' `grad`?"


@pytest.fixture
def call_node_backward(student):
    """``call_node_backward(result, upstream)``: call one node's ``_backward`` with this gradient on it."""
    return student.call_node_backward


def alone(result, *operands):
    """A result, which must be a node of its own: a gradient put on it is none of its operands'."""
    assert all(result is not operand for operand in operands), "the result is an operand itself"
    return result


def check_plain_numbers(operation, slope, leaves, propagate_gradient):
    """Operations of Values with plain numbers, all built first, pass their gradients on and change nothing else."""
    pairs = (
        (2.0, 3),
        (2.0, -7.0),
        (0.0, 5),
        (-3.0, 0.25),
        (4, 1),
        (3, 0.125),
        (3, -0.5),
        (2.0, -1),
        (5.0, 1e-12),
    )
    values = leaves(*(left for left, _ in pairs))
    results = [alone(operation(a, number), a) for a, (_, number) in zip(values, pairs, strict=True)]
    for a, out, (_, number) in zip(values, results, pairs, strict=True):
        held = (a.data, out.data)
        propagate_gradient(out, -4.5)
        assert close(a.grad, slope(number) * -4.5), f"with the number {number} on the right, its gradient is {a.grad}"
        assert (a.data, out.data) == held, f"the numbers were {held}, and are now {a.data} and {out.data}"
        assert out.grad == -4.5, f"the result's own gradient was -4.5, and is now {out.grad}"


@about_add
@pytest.mark.hint("d(a + b)/da is 1, so the operand gets 1.0 * out.grad: out's gradient as it is.")
@kept_sides
def test_a_sum_passes_its_gradient_to_its_left_operand(leaves, call_node_backward):
    """The left operand of a sum gets the gradient of the sum."""
    for left, right, upstream in SUMMANDS:
        a, b = leaves(left, right)
        call_node_backward(alone(a + b, a, b), upstream)
        assert close(a.grad, upstream), f"its gradient is {a.grad}"


@about_add
@pytest.mark.hint("d(a + b)/db is 1, so the operand gets 1.0 * out.grad: out's gradient as it is.")
@kept_sides
def test_a_sum_passes_its_gradient_to_its_right_operand(leaves, call_node_backward):
    """The right operand of a sum gets the gradient of the sum."""
    for left, right, upstream in SUMMANDS:
        a, b = leaves(left, right)
        call_node_backward(alone(a + b, a, b), upstream)
        assert close(b.grad, upstream), f"its gradient is {b.grad}"


@about_mul
@pytest.mark.hint("d(a * b)/da is b: the data of the other operand, times out.grad.")
@kept_sides
def test_a_product_passes_the_other_number_to_its_left_operand(leaves, call_node_backward):
    """The left operand of a product gets the right one's number times the product's gradient."""
    for left, right, upstream in FACTORS:
        a, b = leaves(left, right)
        call_node_backward(alone(a * b, a, b), upstream)
        assert close(a.grad, right * upstream), f"its gradient is {a.grad}"


@about_mul
@pytest.mark.hint("d(a * b)/db is a: the data of the other operand, times out.grad.")
@kept_sides
def test_a_product_passes_the_other_number_to_its_right_operand(leaves, call_node_backward):
    """The right operand of a product gets the left one's number times the product's gradient."""
    for left, right, upstream in FACTORS:
        a, b = leaves(left, right)
        call_node_backward(alone(a * b, a, b), upstream)
        assert close(b.grad, left * upstream), f"its gradient is {b.grad}"


@about_add
@pytest.mark.hint("A plain number becomes a leaf of its own; the Value beside it gets the gradient as always.")
@kept_sides
def test_a_sum_with_a_plain_number_passes_its_gradient_on(leaves, propagate_gradient):
    """In `a + 3`, the gradient of the sum reaches a."""
    check_plain_numbers(lambda a, number: a + number, lambda number: 1, leaves, propagate_gradient)


@about_mul
@pytest.mark.hint("A plain number becomes a leaf of its own, and is the other operand's number as always.")
@kept_sides
def test_a_product_with_a_plain_number_passes_its_gradient_on(leaves, propagate_gradient):
    """In `a * 3`, the gradient that reaches a is multiplied by the number."""
    check_plain_numbers(lambda a, number: a * number, lambda number: number, leaves, propagate_gradient)


@about_add
@pytest.mark.hint("`_backward` writes to the operands' `grad` and to nothing else.")
@kept_sides
def test_the_backward_of_a_sum_changes_gradients_of_its_operands_alone(leaves, call_node_backward):
    """Calling the `_backward` of a sum leaves all numbers, and the sum's own gradient, as they were."""
    a, b = leaves(2.0, 3.0)
    out = a + b
    numbers = (a.data, b.data, out.data)
    call_node_backward(out, -4.0)
    assert 0 not in (a.grad, b.grad), NOTHING_ARRIVES
    assert (a.data, b.data, out.data) == numbers, f"the numbers are now {a.data}, {b.data} and {out.data}"
    assert out.grad == -4, f"the sum's gradient is now {out.grad}"


@about_mul
@pytest.mark.hint("`_backward` writes to the operands' `grad` and to nothing else.")
@kept_sides
def test_the_backward_of_a_product_changes_gradients_of_its_operands_alone(leaves, call_node_backward):
    """Calling the `_backward` of a product leaves all numbers, and the product's own gradient, as they were."""
    a, b = leaves(2.0, 3.0)
    out = a * b
    numbers = (a.data, b.data, out.data)
    call_node_backward(out, -4.0)
    assert 0 not in (a.grad, b.grad), NOTHING_ARRIVES
    assert (a.data, b.data, out.data) == numbers, f"the numbers are now {a.data}, {b.data} and {out.data}"
    assert out.grad == -4, f"the product's gradient is now {out.grad}"


@about_add
@pytest.mark.hint("Make `_backward` a nested function that uses this very call's `self`, `other` and `out`.")
@kept_sides
def test_every_sum_has_a_backward_of_its_own(leaves, call_node_backward):
    """Two sums with a common operand each serve their own operands."""
    a, b, c = leaves(2.0, 3.0, 4.0)
    first, second = a + b, a + c
    call_node_backward(first, 5.0)
    assert (b.grad, c.grad) == (5, 0), f"after the first sum's turn the right operands hold {b.grad} and {c.grad}"
    call_node_backward(second, -2.0)
    assert (b.grad, c.grad) == (5, -2), f"after both, the right operands hold {b.grad} and {c.grad}"


@about_mul
@pytest.mark.hint("Make `_backward` a nested function that uses this very call's `self`, `other` and `out`.")
@kept_sides
def test_every_product_has_a_backward_of_its_own(leaves, call_node_backward):
    """Two products with a common operand each serve their own operands."""
    a, b, c = leaves(2.0, 3.0, 4.0)
    first, second = a * b, a * c
    call_node_backward(first, 5.0)
    assert (b.grad, c.grad) == (10, 0), f"after the first product's turn the right operands hold {b.grad}, {c.grad}"
    call_node_backward(second, -3.0)
    assert (b.grad, c.grad) == (10, -6), f"after both, the right operands hold {b.grad} and {c.grad}"


@pytest.mark.subject("__add__", "__mul__")
@pytest.mark.hint("Draw the graph, write each local derivative on its arrow, and multiply along the way.")
@kept_whole
def test_the_chain_rule_multiplies_along_a_path(leaves, call_node_backward):
    """In a chain of operations each leaf gets the product of the derivatives on its way."""
    a, b, c, d = leaves(2.0, -3.0, 4.0, 5.0)
    product = a * b
    total = product + c
    out = total * d
    total.grad = product.grad = 0.0
    out.grad = 1.0
    for node in (out, total, product):
        node._backward()
    grads = (a.grad, b.grad, c.grad, d.grad)
    assert all(map(close, grads, (-15, 10, 5, total.data))), f"the gradients are {grads}"
    a, b, c, d = leaves(2.0, -3.0, 4.0, 5.0)
    product = b * a
    total = c + product
    out = d * total
    total.grad = product.grad = 0.0
    call_node_backward(out, 1.0)
    total._backward()
    product._backward()
    grads = (a.grad, b.grad, c.grad, d.grad)
    assert all(map(close, grads, (-15, 10, 5, total.data))), f"leaning to the right, the gradients are {grads}"
