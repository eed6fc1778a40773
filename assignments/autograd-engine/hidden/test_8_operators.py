"""Bonus: the other operators, each with its number and its gradient."""

import math
from contextlib import contextmanager
from functools import partial

import number_checks
import pytest

pytestmark = [pytest.mark.concept("operators"), pytest.mark.needs("__init__")]

kept_sides = pytest.mark.redundant_ok("says which operand or which operation it is")
kept_simplest = pytest.mark.redundant_ok("the simplest case, and the first to read")

close = partial(number_checks.close, abs_tol=1e-9)
HAD = 10.0
"""A gradient that operands have already: what an operator adds to it counts."""
GOT = -4.123456789
"""A gradient to send down, of which rounding would lose something."""


@contextmanager
def untouched(*leaves):
    """What is done with these leaves leaves them as they were; their gradients are zero afterwards."""
    numbers = [leaf.data for leaf in leaves]
    for leaf in leaves:
        leaf.grad = HAD
    yield
    for leaf, number in zip(leaves, numbers, strict=True):
        assert leaf.data == number, f"an operand now holds {leaf.data}"
        assert leaf.grad == HAD, f"an operand had a gradient of {HAD}, and has {leaf.grad} now"
        assert not list(leaf._prev), "an operand has operands now"
        leaf.grad = 0.0


@pytest.mark.subject("__radd__")
@pytest.mark.hint("`__radd__(self, other)` is asked for `other + self`; the order does not matter for a sum.")
def test_a_plain_number_on_the_left_of_a_sum(leaves, propagate_gradient):
    """`3 + a` works, and so does `sum` of a list of Values."""
    a, b = leaves(2.0, 5.0)
    assert (0.5 + a).data == 2.5, f"with a number that is not whole, its number is {(0.5 + a).data}"
    with untouched(a):
        out = 3 + a
    assert out.data == 5, f"its number is {out.data}"
    propagate_gradient(out, -4.0)
    assert a.grad == -4, f"its operand's gradient is {a.grad}"
    total = sum([a, b])
    assert total.data == 7, f"the sum of a list is {total.data}"


@pytest.mark.subject("__rmul__")
@pytest.mark.hint("`__rmul__(self, other)` is asked for `other * self`.")
def test_a_plain_number_on_the_left_of_a_product(leaves, propagate_gradient):
    """`3 * a` works."""
    (a,) = leaves(2.0)
    assert (0.5 * a).data == 1, f"with a number that is not whole, its number is {(0.5 * a).data}"
    with untouched(a):
        out = 3 * a
    assert out.data == 6, f"its number is {out.data}"
    propagate_gradient(out, -4.0)
    assert a.grad == -12, f"its operand's gradient is {a.grad}"


@pytest.mark.subject("__neg__")
@pytest.mark.hint("-a is a * -1.")
@kept_sides
def test_negation(leaves, propagate_gradient):
    """`-a` has the number and the gradient with the sign turned."""
    for number in (3.0, -2.0):
        (a,) = leaves(number)
        with untouched(a):
            out = -a
        assert out.data == -number, f"for one number, its number is {out.data}"
        a.grad = HAD
        propagate_gradient(out, 2.0)
        assert a.grad == HAD - 2, f"its operand had a gradient of {HAD} and has {a.grad} now"


@pytest.mark.subject("__sub__")
@pytest.mark.hint("a - b is a + (-b): the right operand's gradient has the sign turned.")
def test_subtraction(leaves, propagate_gradient):
    """`a - b` works, for Values and for plain numbers on the right, with both gradients."""
    a, b, c, d = leaves(2.0, 5.0, 2.0, 3.0)
    with untouched(a, b):
        out = a - b
    propagate_gradient(out, 4.0)
    assert (out.data, a.grad, b.grad) == (-3, 4, -4), f"number and gradients: {out.data}, {a.grad}, {b.grad}"
    with untouched(c):
        out = c - 5
    propagate_gradient(out, 4.0)
    assert (out.data, c.grad) == (-3, 4), f"with a plain number: {out.data}, {c.grad}"
    propagate_gradient(d - d)
    assert d.grad == 0, f"for a node minus itself, its gradient is {d.grad}"
    e, f = leaves(2.0, -5.0)
    assert (e - f).data == 7, f"with a negative number on the right, its number is {(e - f).data}"
    assert (e - 0.5).data == 1.5, f"with a plain number that is not whole, its number is {(e - 0.5).data}"


@pytest.mark.subject("__rsub__")
@pytest.mark.hint("Python asks `__rsub__(self, other)` for `other - self`: mind which one is subtracted.")
def test_a_plain_number_on_the_left_of_a_difference(leaves, propagate_gradient):
    """`5 - a` works, and gives that and not `a - 5`."""
    (a,) = leaves(2.0)
    with untouched(a):
        out = 5 - a
    assert out.data == 3, f"its number is {out.data}"
    propagate_gradient(out, 4.0)
    assert a.grad == -4, f"its operand's gradient is {a.grad}"


@pytest.mark.subject("__pow__")
@pytest.mark.hint("The derivative of x**n is n * x**(n - 1).")
def test_power(leaves, propagate_gradient):
    """`a ** n` works for whole, negative and fractional exponents, and at 0."""
    for number, exponent in (
        (1.23456789, 3),
        (3.0, -2),
        (4.0, 0.5),
        (-3.0, 2),
        (-3.0, 3),
        (0.0, 2),
        (5.0, 1),
        (5.0, 0),
    ):
        (a,) = leaves(number)
        with untouched(a):
            out = a**exponent
        assert close(out.data, number**exponent), f"for one exponent, its number is {out.data}"
        a.grad = HAD
        propagate_gradient(out, GOT)
        had = 0 if out is a else HAD  # a ** 1 may be a itself
        expected = had + GOT * exponent * number ** (exponent - 1)
        assert close(a.grad, expected), f"the operand had a gradient of {HAD}; for one exponent, it has {a.grad} now"


@pytest.mark.subject("__truediv__")
@pytest.mark.hint("a / b is a * b**-1; the right operand's gradient is -a / b**2.")
def test_division(leaves, propagate_gradient):
    """`a / b` works, for Values and for plain numbers on the right, with both gradients."""
    a, b, c, d = leaves(7.0, 2.0, 7.0, 3.0)
    with untouched(a, b):
        out = a / b
    propagate_gradient(out, 4.0)
    assert close(out.data, 3.5), f"its number is {out.data}"
    assert close(a.grad, 2.0), f"the left operand's gradient is {a.grad}"
    assert close(b.grad, -7.0), f"the right operand's gradient is {b.grad}"
    with untouched(c):
        out = c / 2
    propagate_gradient(out, 4.0)
    assert close(out.data, 3.5), f"with a plain number, its number is {out.data}"
    assert close(c.grad, 2.0), f"with a plain number, the gradient is {c.grad}"
    for left, right in ((-7.0, 2.0), (7.0, -2.0)):
        e, f = leaves(left, right)
        propagate_gradient(e / f, 4.0)
        assert close(e.grad, 4 / right), f"for one pair of numbers, the left operand's gradient is {e.grad}"
        assert close(f.grad, -4 * left / right**2), f"for one pair of numbers, the right one's is {f.grad}"
    out = e / 0.5
    assert close(out.data, 14.0), f"with a plain number that is not whole, its number is {out.data}"
    propagate_gradient(d / d)
    assert close(d.grad, 0.0), f"for a node over itself, its gradient is {d.grad}"


@pytest.mark.subject("__rtruediv__")
@pytest.mark.hint("Python asks `__rtruediv__(self, other)` for `other / self`: mind which one divides.")
def test_a_plain_number_on_the_left_of_a_quotient(leaves, propagate_gradient):
    """`6 / a` works, and gives that and not `a / 6`."""
    (a,) = leaves(2.0)
    with untouched(a):
        out = 6 / a
    assert close(out.data, 3.0), f"its number is {out.data}"
    propagate_gradient(out, 4.0)
    assert close(a.grad, -6.0), f"its operand's gradient is {a.grad}"


@pytest.mark.subject("exp")
@pytest.mark.hint("The derivative of e**x is e**x: the result's own number, times out.grad.")
def test_exp(leaves, propagate_gradient, is_below):
    """`a.exp()` works, and passes on its own number times its gradient."""
    for number in (1.23456789, -0.5, 0.0):
        (a,) = leaves(number)
        with untouched(a):
            out = a.exp()
        assert close(out.data, math.exp(number)), f"for one number, it gives {out.data}"
        a.grad = HAD
        assert is_below(a, out), "following _prev from it does not lead to its operand"
        propagate_gradient(out, GOT)
        assert close(a.grad, HAD + GOT * math.exp(number)), (
            f"its operand had a gradient of {HAD} and has {a.grad} now"
        )


@pytest.mark.subject("relu")
@pytest.mark.hint("relu passes its gradient on where its input is positive, and nothing where it is negative.")
def test_relu(leaves, propagate_gradient, is_below, conventions):
    """`a.relu()` keeps positive numbers and their gradients, and makes negative ones zero."""
    for number, slope in ((3.0, 1), (-3.0, 0), (0.123456789, 1), (1e-7, 1)):
        (a,) = leaves(number)
        with untouched(a):
            out = a.relu()
        assert out.data == max(number, 0), f"for one number, it gives {out.data}"
        a.grad = HAD
        assert is_below(a, out), "following _prev from it does not lead to its operand"
        propagate_gradient(out, GOT)
        assert close(a.grad, HAD + GOT * slope), f"its operand had a gradient of {HAD} and has {a.grad} now"
    (a,) = leaves(0.0)
    propagate_gradient(a.relu(), 1.0)
    low, high = conventions.relu_at_zero
    # A number first: an object of the student's would bring its own comparison.
    assert isinstance(a.grad, int | float), "at zero, the gradient is no number"
    assert low <= a.grad <= high, f"at zero, the gradient is {a.grad}"


@pytest.mark.subject("__repr__")
@pytest.mark.hint("Return a string such as f'Value(data={self.data}, grad={self.grad})'.")
@kept_simplest
def test_repr(Value, student):
    """`repr(a)` shows a's number."""
    for number in ("2.75", "-3.5"):
        assert number in student.repr(Value(float(number))), "the number is not in it"
