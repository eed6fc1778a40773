"""Bonus: the other operators, each with its number and its gradient."""

import math
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
PAIRS = ((2.0, 5.0), (-5.0, 3.0), (7.0, -2.0), (-1.5, -0.5), (4, 3), (0.0, 3.0), (0.123456789, 1.987654321))
"""The numbers of two Values: whole numbers and others, with either sign, an int on each side, and a zero."""
PLAIN = ((3, 2.0), (0.5, -4.0), (-7, 2.5), (-0.25, -3.0), (1, 4), (0, 3.0), (2.0, 0.123456789))
"""A plain number, and the number of the Value beside it."""


@pytest.fixture
def check(leaves, propagate_gradient, are_below, student):
    """Check an operation on new Values: number, operands, and what each operand is passed on top of what it has.

    ``check(operation, numbers, data, slopes)``: each operand gets its slope times the gradient of the result. Where
    an operation gives its operand itself, which is right for ``a ** 1``, there is no gradient to pass on. What does
    not depend on numbers is looked at in a test's first operation alone.
    """
    checked = []

    def check_structure(case, operands, out):
        assert student.get_attributes(operands, "grad") == [HAD] * len(operands), f"{case}, an operand has a gradient"
        assert not any(list(operand._prev) for operand in operands), f"{case}, an operand has operands now"
        if any(out is operand for operand in operands):
            return
        assert isinstance(out._op, str), f"{case}, its _op is of type {student.get_class_name(out._op)}"
        assert are_below(out, *operands), f"{case}, following _prev from it does not lead to its operands"

    def run(operation, numbers, data, slopes):
        operands = leaves(*numbers)
        student.set_attributes((operand, "grad", HAD) for operand in operands)
        case = "for " + " and ".join(map(str, numbers))
        out = operation(*operands)
        number = out.data
        assert student.get_attributes(operands, "data") == list(numbers), f"{case}, an operand holds another number"
        assert close(number, data), f"{case}, its number is {number}"
        if len(numbers) not in checked:
            checked.append(len(numbers))
            check_structure(case, operands, operation(*operands))
        if any(out is operand for operand in operands):
            return
        propagate_gradient(out, GOT)
        *grads, own_grad = student.get_attributes([*operands, out], "grad")
        for grad, slope in zip(grads, slopes, strict=True):
            assert close(grad, HAD + GOT * slope), f"{case}, an operand had a gradient of {HAD}, and has {grad} now"
        assert own_grad == GOT, f"{case}, its own gradient was {GOT}, and is {own_grad} now"
        assert close(out.data, data), f"{case}, passing its gradient on made its number {out.data}"

    return run


@pytest.mark.subject("__radd__")
@pytest.mark.hint("`__radd__(self, other)` is asked for `other + self`; the order does not matter for a sum.")
def test_a_plain_number_on_the_left_of_a_sum(check, check_backward):
    """`3 + a` works, and so does `sum` of a list of Values."""
    for plain, number in PLAIN:
        check(lambda a, plain=plain: plain + a, (number,), plain + number, (1,))
    check(lambda a, b: sum([a, b]), (2.0, 5.0), 7, (1, 1))
    check_backward(lambda n: 3 + n, (2.0,))


@pytest.mark.subject("__rmul__")
@pytest.mark.hint("`__rmul__(self, other)` is asked for `other * self`.")
def test_a_plain_number_on_the_left_of_a_product(check, check_backward):
    """`3 * a` works."""
    for plain, number in PLAIN:
        check(lambda a, plain=plain: plain * a, (number,), plain * number, (plain,))
    check_backward(lambda n: 3 * n, (2.0,))


@pytest.mark.subject("__neg__")
@pytest.mark.hint("-a is a * -1.")
@kept_sides
def test_negation(check, check_backward):
    """`-a` has the number and the gradient with the sign turned."""
    for number in (3.0, -2.0, 0.123456789, 4, 0.0, -7, 1e12):
        check(lambda a: -a, (number,), -number, (-1,))
    check_backward(lambda n: -n, (2.0,))


@pytest.mark.subject("__sub__")
@pytest.mark.hint("a - b is a + (-b): the right operand's gradient has the sign turned.")
def test_subtraction(check, check_backward):
    """`a - b` works, for Values and for plain numbers on the right, with both gradients."""
    for left, right in PAIRS:
        check(lambda a, b: a - b, (left, right), left - right, (1, -1))
    for plain, number in PLAIN:
        check(lambda a, plain=plain: a - plain, (number,), number - plain, (1,))
    check(lambda a: a - a, (3.0,), 0, (0,))
    check_backward(lambda n, b: n - b, (2.0, 5.0))
    check_backward(lambda n: n - 5, (2.0,))


@pytest.mark.subject("__rsub__")
@pytest.mark.hint("Python asks `__rsub__(self, other)` for `other - self`: mind which one is subtracted.")
def test_a_plain_number_on_the_left_of_a_difference(check, check_backward):
    """`5 - a` works, and gives that and not `a - 5`."""
    for plain, number in PLAIN:
        check(lambda a, plain=plain: plain - a, (number,), plain - number, (-1,))
    check_backward(lambda n: 5 - n, (2.0,))


@pytest.mark.subject("__pow__")
@pytest.mark.hint("The derivative of x**n is n * x**(n - 1).")
def test_power(check, check_backward):
    """`a ** n` works for whole, negative and fractional exponents, and at 0."""
    for number, exponent in (
        (1.23456789, 3),
        (3.0, -2),
        (4.0, 0.5),
        (0.25, 1.5),
        (0.5, -1.5),
        (-3.0, 2),
        (-3.0, 3),
        (-2.0, -3),
        (-2.0, -2),
        (4, -1),
        (0.0, 2),
        (0.0, 1),
        (5.0, 1),
        (5.0, 0),
    ):
        slope = exponent * number ** (exponent - 1)
        check(lambda a, n=exponent: a**n, (number,), number**exponent, (slope,))
    check_backward(lambda n: n**3, (2.0,))


@pytest.mark.subject("__truediv__")
@pytest.mark.hint("a / b is a * b**-1; the right operand's gradient is -a / b**2.")
def test_division(check, check_backward):
    """`a / b` works, for Values and for plain numbers on the right, with both gradients."""
    for left, right in PAIRS:
        check(lambda a, b: a / b, (left, right), left / right, (1 / right, -left / right**2))
    for plain, number in PLAIN:
        if plain != 0:
            check(lambda a, plain=plain: a / plain, (number,), number / plain, (1 / plain,))
    check(lambda a: a / a, (3.0,), 1, (0,))
    check_backward(lambda n, b: n / b, (2.0, 5.0))
    check_backward(lambda n: n / 4, (2.0,))


@pytest.mark.subject("__rtruediv__")
@pytest.mark.hint("Python asks `__rtruediv__(self, other)` for `other / self`: mind which one divides.")
def test_a_plain_number_on_the_left_of_a_quotient(check, check_backward):
    """`6 / a` works, and gives that and not `a / 6`."""
    for plain, number in PLAIN:
        check(lambda a, plain=plain: plain / a, (number,), plain / number, (-plain / number**2,))
    check_backward(lambda n: 6 / n, (2.0,))


@pytest.mark.subject("exp")
@pytest.mark.hint("The derivative of e**x is e**x: the result's own number, times out.grad.")
def test_exp(check, check_backward):
    """`a.exp()` works, and passes on its own number times its gradient."""
    for number in (1.23456789, -0.5, 0.0, 2, -4.0, 5.0, 1e-7, 20.0, -20):
        check(lambda a: a.exp(), (number,), math.exp(number), (math.exp(number),))
    check_backward(lambda n: n.exp(), (0.5,))


@pytest.mark.subject("relu")
@pytest.mark.hint("relu passes its gradient on where its input is positive, and nothing where it is negative.")
def test_relu(check, check_backward, leaves, propagate_gradient, conventions):
    """`a.relu()` keeps positive numbers and their gradients, and makes negative ones zero."""
    for number, slope in (
        (3.0, 1),
        (-3.0, 0),
        (0.123456789, 1),
        (1e-7, 1),
        (-0.25, 0),
        (-1e-7, 0),
        (4, 1),
        (60.5, 1),
    ):
        check(lambda a: a.relu(), (number,), max(number, 0), (slope,))
    check_backward(lambda n: n.relu(), (2.0,))
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
    assert "2.75" in student.repr(Value(0.5) + Value(2.25)), "the number of a sum is not in it"
