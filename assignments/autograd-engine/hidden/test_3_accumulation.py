"""A node that is used more than once gets a gradient from every use."""

import math

import pytest

from autograder.diagnosis import decode

PATHS = {"through n*c": 15.0, "through n*d": 21.0, "through a*e": 11.0}
"""What each path adds to the gradient of a in ``n = a * b; n * c + n * d + a * e`` at 2, 3, 5, 7, 11."""

pytestmark = [
    pytest.mark.concept("accumulation"),
    pytest.mark.needs("__init__"),
]

kept_numbers = pytest.mark.kept("a number or a graph at which some slip of the pen shows")
kept_sides = pytest.mark.kept("says which operand or which operation it is")
kept_simplest = pytest.mark.kept("the simplest case, and the first to read")
kept_whole = pytest.mark.kept("marks for the whole, whichever part of it is wrong")

add_up = pytest.mark.hint("Use `+=` and not `=` for the operands' gradients in `_backward`.")


def close(value, expected):
    """Whether a number is right but for rounding errors in the last digits, which the handout allows."""
    return isinstance(value, int | float) and math.isclose(value, expected, rel_tol=1e-12)


def after_each_call(out, operand):
    """What an operand with a gradient of 10 has after one and after two calls of a node's ``_backward``.

    Compared with each other and not with the right derivative: a wrong derivative is another concept.
    """
    operand.grad, out.grad = 10.0, -4.0
    out._backward()
    first = operand.grad
    out.grad = -4.0
    out._backward()
    return first, operand.grad


def steps(out, operand):
    """What an operand's gradient grows by at each of three calls of a node's ``_backward``."""
    operand.grad, grads = 10.0, [10.0]
    for _ in range(3):
        out.grad = -4.0
        out._backward()
        grads.append(operand.grad)
    return [after - before for before, after in zip(grads, grads[1:], strict=False)]


def as_if(paths, grad):
    """Which path a wrong gradient lost or counted twice, if its number tells."""
    told = decode(paths, grad, numbers=False) if isinstance(grad, int | float) else None
    return f": {told}" if told else ""


def share_of_each(operation, leaves, number, upstream):
    """What two different operands with the same number get together."""
    a, b = leaves(number, number)
    out = operation(a, b)
    out.grad = upstream
    out._backward()
    return a.grad + b.grad


@pytest.mark.about("__add__")
@add_up
@kept_sides
def test_a_sum_adds_to_the_gradient_of_its_left_operand(leaves):
    """A sum adds to what its left operand has already."""
    a, b = leaves(2.0, 3.0)
    first, second = after_each_call(a + b, a)
    assert close(second - first, first - 10), f"it had 10.0, after one call of _backward {first}, after two {second}"


@pytest.mark.about("__add__")
@add_up
@kept_sides
def test_a_sum_adds_to_the_gradient_of_its_right_operand(leaves):
    """A sum adds to what its right operand has already."""
    a, b = leaves(2.0, 3.0)
    first, second = after_each_call(a + b, b)
    assert close(second - first, first - 10), f"it had 10.0, after one call of _backward {first}, after two {second}"


@pytest.mark.about("__mul__")
@add_up
@kept_sides
def test_a_product_adds_to_the_gradient_of_its_left_operand(leaves):
    """A product adds to what its left operand has already."""
    a, b = leaves(2.0, 3.0)
    first, second = after_each_call(a * b, a)
    assert close(second - first, first - 10), f"it had 10.0, after one call of _backward {first}, after two {second}"


@pytest.mark.about("__mul__")
@add_up
@kept_sides
def test_a_product_adds_to_the_gradient_of_its_right_operand(leaves):
    """A product adds to what its right operand has already."""
    a, b = leaves(2.0, 3.0)
    first, second = after_each_call(a * b, b)
    assert close(second - first, first - 10), f"it had 10.0, after one call of _backward {first}, after two {second}"


@pytest.mark.about("__add__")
@add_up
@kept_sides
def test_both_operands_of_a_sum_may_be_the_same_node(leaves):
    """In `a + a`, both uses add to the gradient of a."""
    (a,) = leaves(3.0)
    out = a + a
    out.grad = 5.0
    out._backward()
    together = share_of_each(lambda left, right: left + right, leaves, 3.0, 5.0)
    assert close(a.grad, together), f"its gradient is {a.grad}; two different operands get {together} together"


@pytest.mark.about("__mul__")
@add_up
def test_both_operands_of_a_product_may_be_the_same_node(leaves):
    """In `a * a`, both uses add to the gradient of a."""
    (a,) = leaves(3.0)
    out = a * a
    out.grad = 5.0
    out._backward()
    together = share_of_each(lambda left, right: left * right, leaves, 3.0, 5.0)
    assert close(a.grad, together), f"its gradient is {a.grad}; two different operands get {together} together"


@pytest.mark.about("__add__")
@add_up
@kept_numbers
def test_a_sum_adds_every_time_to_any_operand(leaves):
    """A sum adds to its operands as often as it is asked to, be they leaves, results or one and the same node."""
    a, b, c = leaves(2.0, 3.0, 5.0)
    n = a + b
    n = n if isinstance(n, type(a)) else a
    for out, operand in ((a + b, a), (a + a, a), (n + c, n), (c + n, n)):
        grown = steps(out, operand)
        assert max(grown) - min(grown) < 1e-9, f"in three calls of _backward, a gradient grows by {grown}"


@pytest.mark.about("__mul__")
@add_up
def test_a_product_adds_every_time_to_any_operand(leaves):
    """A product adds to its operands as often as it is asked to, be they leaves, results or one and the same node."""
    a, b, c = leaves(2.0, 3.0, 5.0)
    n = a * b
    n = n if isinstance(n, type(a)) else a
    for out, operand in ((a * b, a), (a * a, a), (n * c, n), (c * n, n)):
        grown = steps(out, operand)
        assert max(grown) - min(grown) < 1e-9, f"in three calls of _backward, a gradient grows by {grown}"


@pytest.mark.about("__add__", "__mul__")
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
    for swapped in (False, True):
        a, b, c = leaves(2.0, 3.0, 4.0)
        product, total = a * b, c + a
        product.grad = total.grad = 5.0
        for out in (total, product) if swapped else (product, total):
            out._backward()
        assert close(a.grad, sum(alone)), f"one gives {alone[0]}, the other {alone[1]}, both together {a.grad}"


@pytest.mark.about("__add__")
@add_up
@kept_simplest
def test_a_plus_a(leaves, pull):
    """`b = a + a` makes the gradient of a twice that of b."""
    (a,) = leaves(3.0)
    pull(a + a)
    assert close(a.grad, 2), f"a.grad is {a.grad}"


@pytest.mark.about("__add__", "__mul__")
@pytest.mark.hint("A leaf that is reached on several ways gets the sum over the ways.")
@kept_whole
def test_a_diamond_of_operators(leaves, pull):
    """Where two branches meet in the same leaves, each branch adds its part."""
    a, b = leaves(-2.0, 3.0)
    pull((a * b) * (a + b))
    assert all(map(close, (a.grad, b.grad), (-3, -8))), f"the gradients are {a.grad} and {b.grad}"
    a, b = leaves(4.0, -3.0)
    pull((a + b) * (b * a))
    assert all(map(close, (a.grad, b.grad), (-15, -8))), f"with the branches swapped, they are {a.grad} and {b.grad}"


@pytest.mark.about("__add__", "__mul__")
@pytest.mark.weight(2)
@pytest.mark.hint("Write down every way from the result to the leaf: which one is missing or counted twice?")
@kept_whole
def test_every_path_counts_once(leaves, pull):
    """A leaf gets the sum over all paths to it: none is lost, none counts twice."""
    a, b, c, d, e = leaves(2.0, 3.0, 5.0, 7.0, 11.0)
    n = a * b
    pull(n * c + n * d + a * e)
    assert close(a.grad, 47), f"with three paths to one leaf, its gradient is {a.grad}{as_if(PATHS, a.grad)}"
    assert close(b.grad, 24), f"with two paths to another, its gradient is {b.grad}"
    a, b, c, d, e = leaves(2.0, 3.0, 5.0, 7.0, 11.0)
    n = b * a
    pull(e * a + (d * n + c * n))
    assert close(a.grad, 47), f"with the operands swapped, the first one's gradient is {a.grad}{as_if(PATHS, a.grad)}"


@pytest.mark.about("__add__", "__mul__", "backward")
@pytest.mark.hint("Mend what else is wrong first; then draw this graph and follow it by hand.")
@kept_whole
def test_all_parts_together(Value):
    """The handout's worked example at other numbers, with your operators and your `backward()`, has its gradients."""
    a, b, c = Value(7.0), Value(-3.0), Value(5.0)
    ((a * b + c) * (a + b)).backward()
    grads = (a.grad, b.grad, c.grad)
    assert all(map(close, grads, (-28, 12, 4))), f"the gradients of a, b and c are {grads}"
