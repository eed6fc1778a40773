"""``tanh``: its number, its own derivative, and a neuron."""

import math
from functools import partial

import number_checks
import pytest

from autograder.bridge import StudentError

pytestmark = [pytest.mark.concept("tanh"), pytest.mark.needs("__init__"), pytest.mark.subject("tanh")]

kept_numbers = pytest.mark.redundant_ok("a number or a graph at which some slip of the pen shows")
kept_simplest = pytest.mark.redundant_ok("the simplest case, and the first to read")
kept_sides = pytest.mark.redundant_ok("says which operand or which operation it is")
kept_whole = pytest.mark.redundant_ok("marks for the whole, whichever part of it is wrong")

# Formulas with exp differ from math.tanh in the last digits; a wrong formula differs in the first.
close = partial(number_checks.close, abs_tol=1e-9)

REPLACED = "Use `+=` and not `=` for the operand's gradient in `_backward`."


@pytest.mark.hint("math.tanh(self.data), or (e^2x - 1) / (e^2x + 1).")
@kept_simplest
def test_tanh_of_a_number(Value):
    """`a.tanh()` holds the hyperbolic tangent of a's number."""
    for number in (0.5, -1.25, 2.0, 1, -3, 0.05, -0.001, 1e-7, 4.5, -6.5, 7):
        data = Value(number).tanh().data
        assert close(data, math.tanh(number)), f"for one number, data is {data}"


@pytest.mark.hint("tanh(0) is 0, and tanh of 10 is almost 1: check the formula.")
@kept_sides
def test_tanh_at_zero_and_far_out(Value):
    """tanh is 0 at 0, and close to 1 and -1 far from it."""
    for number in (0.0, 10.0, -10.0, 20.0, -20.0):
        data = Value(number).tanh().data
        assert close(data, math.tanh(number)), f"for one number, data is {data}"


@pytest.mark.hint("With t = tanh(x), the derivative is 1 - t**2; multiply it by out.grad.")
@kept_sides
def test_the_derivative_of_tanh(leaves, propagate_gradient):
    """The operand of a tanh gets the derivative times the gradient of the result."""
    for number, upstream in (
        (0.5, -4.0),
        (-1.25, 3.0),
        (2.0, 0.5),
        (0.123456789, 0.987654321),
        (-4.0, 5.0),
        (0.05, 7.0),
        (1, -0.25),
        (-2, 0.5),
        (1e-7, 3.0),
        (0.5, 1e-12),
        (-0.5, 1e30),
        (5.5, 2e3),
        (-6.5, 1e5),
        (7, 1e6),
        (8.5, -1e7),
    ):
        (a,) = leaves(number)
        propagate_gradient(a.tanh(), upstream)
        expected = upstream / math.cosh(number) ** 2
        # far out, 1 - t**2 has few digits left
        right = number_checks.close(a.grad, expected, rel_tol=1e-9 if abs(number) < 5 else 1e-5)
        assert right, f"with a gradient of {upstream} on the result, it gets {a.grad}"


@pytest.mark.hint("At 0 the derivative is 1: what reaches the operand is out.grad itself.")
@kept_simplest
def test_the_derivative_of_tanh_at_zero(leaves, propagate_gradient):
    """At 0, tanh passes its gradient on as it is."""
    (a,) = leaves(0.0)
    out = a.tanh()
    assert out is not a, "the result is the operand itself"
    propagate_gradient(out, -3.0)
    assert close(a.grad, -3.0), f"it gets {a.grad}"


@pytest.mark.hint("Each call of `_backward` adds its share to what the operand's `grad` holds already.")
@kept_numbers
def test_tanh_adds_to_the_gradient_of_its_operand(Value, propagate_gradient):
    """tanh adds to what its operand has already."""
    a = Value(0.5)
    a.grad = 10.0
    propagate_gradient(a.tanh(), 2.0)
    share = 2 * (1 - math.tanh(0.5) ** 2)
    hint = f"\n{REPLACED}" if close(a.grad, share) else ""
    assert close(a.grad, 10 + share), f"its gradient is {a.grad}{hint}"
    propagate_gradient(a.tanh(), 2.0)
    assert close(a.grad, 10 + 2 * share), f"after a second use, its gradient is {a.grad}"


@pytest.mark.hint("Make a new Value with `(self,)` as its operands; do not write to `self`.")
def test_tanh_is_a_new_node_over_its_operand(Value, are_below, student):
    """tanh gives a new Value over its operand, which stays as it was."""
    a, starts = Value(0.5), Value(0.5).grad
    number, a.grad = a.data, 7.0
    out = a.tanh()
    assert out is not a, "it is the operand itself"
    assert a.tanh() is not out, "for the same operand once more, it is the same node once more"
    assert isinstance(out, Value), "it is no Value"
    assert are_below(a.tanh(), a), "following _prev from it does not lead to its operand"
    assert out.grad == starts, f"its gradient starts at {out.grad}"
    assert isinstance(out._op, str), f"its _op is of type {student.get_class_name(out._op)}"
    assert (a.data, a.grad) == (number, 7), f"the operand's data and grad are now {a.data} and {a.grad}"
    assert not list(a._prev or ()), "the operand has operands now"
    before = (out.data, out.grad)
    again = out.tanh()
    assert are_below(again, a), "following _prev from the tanh of a tanh does not lead to the operand"
    assert (out.data, out.grad) == before, "a tanh that is used has another number or gradient now"


@pytest.mark.hint("`_backward` writes to the operand's `grad` and to nothing else.")
@kept_sides
def test_the_backward_of_tanh_changes_the_gradient_of_its_operand_alone(leaves, propagate_gradient):
    """Sending a gradient down leaves the numbers, and the result's own gradient, as they were."""
    (a,) = leaves(0.5)
    out = a.tanh()
    assert out is not a, "the result is the operand itself"
    numbers = (a.data, out.data)
    assert a.grad == 0, f"before that, the gradient of the operand was set to 0, and is {a.grad}"
    propagate_gradient(out, -4.0)
    assert a.grad != 0, "the gradient of the operand is 0\nDoes `_backward` write to the operand's `grad`?"
    assert (a.data, out.data) == numbers, f"the numbers were {numbers}, and are now {a.data} and {out.data}"
    assert out.grad == -4, f"the result's gradient was -4, and is now {out.grad}"


@pytest.mark.hint("Make `_backward` a nested function that uses this very call's `self` and `out`.")
@kept_numbers
def test_every_tanh_has_a_backward_of_its_own(leaves, propagate_gradient):
    """Two tanh nodes each serve their own operand."""
    a, b = leaves(0.5, 0.5)
    first, second = a.tanh(), b.tanh()
    assert second is not first, "for another operand with the same number, it is the same node once more"
    a, b = leaves(0.5, -1.25)
    first, second = a.tanh(), b.tanh()
    propagate_gradient(first, 2.0)
    expected = 2 * (1 - math.tanh(0.5) ** 2)
    assert close(a.grad, expected), f"after the first one's turn, its operand has {a.grad}"
    assert b.grad == 0, f"after the first one's turn, the operand of the second has {b.grad}"
    propagate_gradient(second, -3.0)
    assert close(a.grad, expected), f"after the second one's turn, the operand of the first has {a.grad}"


@pytest.mark.hint("A result of tanh is an operand like any other: `(self,)` is its `_prev`, whatever made `self`.")
@kept_numbers
def test_the_tanh_of_a_tanh(leaves, propagate_gradient):
    """The tanh of a tanh passes its gradient on through both."""
    (a,) = leaves(0.5)
    once = math.tanh(0.5)
    propagate_gradient(a.tanh().tanh(), -4.0)
    expected = -4 * (1 - math.tanh(once) ** 2) * (1 - once**2)
    assert close(a.grad, expected), f"the operand of the inner one gets {a.grad}"


@pytest.mark.hint("An operand that is itself a result keeps what other users gave it: tanh adds to that.")
@kept_numbers
def test_tanh_adds_to_the_gradient_of_a_result(leaves, propagate_gradient):
    """In `n.tanh()`, where n is itself the result of a tanh, tanh adds to what n has already."""
    for number, upstream in ((1.0, 10.0), (-0.5, -3.0)):
        (x,) = leaves(number)
        n = x.tanh()
        assert n is not x, "the result is the operand itself"
        propagate_gradient(n.tanh(), upstream)
        had = n.grad
        slope = 1 - math.tanh(math.tanh(number)) ** 2
        assert close(had, upstream * slope), f"from one user, n gets {had}"
        propagate_gradient(n.tanh(), 2.0, keep_inner_grads=True)
        hint = f"\n{REPLACED}" if close(n.grad, 2 * slope) else ""
        assert close(n.grad, had + 2 * slope), f"n had {had}, and has {n.grad}{hint}"


@pytest.mark.subject("backward", "tanh")
@pytest.mark.weight(2)
@pytest.mark.hint("`backward()` treats tanh like any node: walk on below it, and call its `_backward`.")
@kept_whole
def test_backward_goes_through_tanh(leaves, make_graph, blocked_by, check_backward):
    """`backward()` reaches what lies below a tanh, and comes to the tanh of n before n."""
    once = math.tanh(0.5)
    try:
        numbers = {"a": 0.5, "b": once, "c": math.tanh(once)}
        chain = make_graph(data=numbers, weights={"b": (2.0,), "c": (3.0,)}, a="", b="a", c="b")
        chain["c"].backward()
        works = chain.calls == ["c", "b"] if chain.by_operators else chain["a"].grad == 6
        if not works:
            blocked_by("backward")
    except (StudentError, AttributeError, TypeError):
        blocked_by("backward")
    (a,) = leaves(0.5)
    inner = a.tanh()
    out = inner.tanh()
    inner.grad = out.grad = 0.0
    out.backward()
    expected = (1 - math.tanh(once) ** 2) * (1 - once**2)
    assert close(a.grad, expected), f"the leaf below two of them gets {a.grad}"
    check_backward(lambda n: n.tanh(), (0.5,))


@pytest.mark.weight(2)
@pytest.mark.hint("This is the last step of the handout's neuron: compare with the numbers there.")
@kept_whole
def test_the_last_step_of_a_neuron(leaves, propagate_gradient):
    """The tanh of the handout's neuron gives its output and the gradient of what went in."""
    (n,) = leaves(2.0 * -3.0 + 0.0 * 1.0 + 6.8813735870195432)
    out = n.tanh()
    assert close(out.data, math.sqrt(2) / 2), f"its output is {out.data}"
    propagate_gradient(out)
    assert close(n.grad, 0.5), f"the gradient of what went in is {n.grad}"
