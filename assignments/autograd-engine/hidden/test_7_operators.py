"""Bonus: the other operators, each with its number and its gradient."""

import math

import pytest

pytestmark = [pytest.mark.concept("operators"), pytest.mark.needs("__init__", "backward")]

CLOSE = 1e-9


def close(value, expected):
    """Whether a number is right to nine digits; anything that is no number is not."""
    return isinstance(value, int | float) and math.isclose(value, expected, rel_tol=CLOSE, abs_tol=CLOSE)


@pytest.mark.about("__radd__")
@pytest.mark.hint("`__radd__(self, other)` is asked for `other + self`; the order does not matter for a sum.")
def test_a_plain_number_on_the_left_of_a_sum(Value):
    """`3 + a` works, and so does `sum` of a list of Values."""
    a, b = Value(2.0), Value(5.0)
    out = 3 + a
    assert out.data == 5, f"its number is {out.data}"
    out.backward()
    assert a.grad == 1, f"its operand's gradient is {a.grad}"
    total = sum([a, b])
    assert total.data == 7, f"the sum of a list is {total.data}"


@pytest.mark.about("__rmul__")
@pytest.mark.hint("`__rmul__(self, other)` is asked for `other * self`.")
def test_a_plain_number_on_the_left_of_a_product(Value):
    """`3 * a` works."""
    a = Value(2.0)
    out = 3 * a
    assert out.data == 6, f"its number is {out.data}"
    out.backward()
    assert a.grad == 3, f"its operand's gradient is {a.grad}"


@pytest.mark.about("__neg__")
@pytest.mark.hint("-a is a * -1.")
def test_negation(Value):
    """`-a` has the number and the gradient with the sign turned."""
    a = Value(3.0)
    out = -a
    out.backward()
    assert (out.data, a.grad) == (-3, -1), f"number and gradient are {out.data} and {a.grad}"


@pytest.mark.about("__sub__")
@pytest.mark.hint("a - b is a + (-b): the right operand's gradient has the sign turned.")
def test_subtraction(Value):
    """`a - b` works, for Values and for plain numbers on the right, with both gradients."""
    a, b = Value(2.0), Value(5.0)
    out = a - b
    out.backward()
    assert (out.data, a.grad, b.grad) == (-3, 1, -1), f"number and gradients: {out.data}, {a.grad}, {b.grad}"
    c = Value(2.0)
    out = c - 5
    out.backward()
    assert (out.data, c.grad) == (-3, 1), f"with a plain number: {out.data}, {c.grad}"
    d = Value(3.0)
    (d - d).backward()
    assert d.grad == 0, f"for a node minus itself, its gradient is {d.grad}"


@pytest.mark.about("__pow__")
@pytest.mark.hint("The derivative of x**n is n * x**(n - 1).")
def test_power(Value):
    """`a ** n` works for whole, negative and fractional exponents."""
    for number, exponent in ((2.0, 3), (3.0, -2), (4.0, 0.5), (-3.0, 2)):
        a = Value(number)
        out = a**exponent
        out.backward()
        assert close(out.data, number**exponent), f"for one exponent, its number is {out.data}"
        assert close(a.grad, exponent * number ** (exponent - 1)), f"for one exponent, the gradient is {a.grad}"


@pytest.mark.about("__truediv__")
@pytest.mark.hint("a / b is a * b**-1; the right operand's gradient is -a / b**2.")
def test_division(Value):
    """`a / b` works, for Values and for plain numbers on the right, with both gradients."""
    a, b = Value(7.0), Value(2.0)
    out = a / b
    out.backward()
    assert close(out.data, 3.5), f"its number is {out.data}"
    assert close(a.grad, 0.5), f"the left operand's gradient is {a.grad}"
    assert close(b.grad, -1.75), f"the right operand's gradient is {b.grad}"
    c = Value(7.0)
    out = c / 2
    out.backward()
    assert close(out.data, 3.5), f"with a plain number, its number is {out.data}"
    assert close(c.grad, 0.5), f"with a plain number, the gradient is {c.grad}"


@pytest.mark.about("exp")
@pytest.mark.needs("__mul__")
@pytest.mark.hint("The derivative of e**x is e**x: the result's own number, times out.grad.")
def test_exp(Value):
    """`a.exp()` works, and passes on its own number times its gradient."""
    a, b = Value(1.5), Value(-3.0)
    out = a.exp()
    assert close(out.data, math.exp(1.5)), f"its number is {out.data}"
    (out * b).backward()
    assert close(a.grad, -3 * math.exp(1.5)), f"with an upstream gradient, the operand's is {a.grad}"


@pytest.mark.about("relu")
@pytest.mark.needs("__mul__")
@pytest.mark.hint("relu passes its gradient on where its input is positive, and nothing where it is negative.")
def test_relu(Value, conventions):
    """`a.relu()` keeps positive numbers and their gradients, and makes negative ones zero."""
    for number, slope in ((3.0, 1), (-3.0, 0), (0.5, 1)):
        a = Value(number)
        out = a.relu()
        assert out.data == max(number, 0), f"for one number, it gives {out.data}"
        (out * Value(-4.0)).backward()
        assert a.grad == -4 * slope, f"for one number, the gradient is {a.grad}"
    a = Value(0.0)
    a.relu().backward()
    low, high = conventions.relu_at_zero
    # A number first: an object of the student's would bring its own comparison.
    assert isinstance(a.grad, int | float), "at zero, the gradient is no number"
    assert low <= a.grad <= high, f"at zero, the gradient is {a.grad}"


@pytest.mark.about("__repr__")
@pytest.mark.hint("Return a string such as f'Value(data={self.data}, grad={self.grad})'.")
def test_repr(Value, student):
    """`repr(a)` shows a's number."""
    shown = student.repr(Value(2.75))
    assert "2.75" in shown, "the number is not in it"
