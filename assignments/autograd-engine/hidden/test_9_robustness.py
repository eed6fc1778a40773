"""Bonus: graphs deeper than Python's recursion, and tanh where exp would overflow."""

import math

import pytest

pytestmark = [
    pytest.mark.concept("robustness"),
    pytest.mark.needs("__init__"),
    pytest.mark.beyond_contract,
    pytest.mark.redundant_ok("more than the contract asks for"),
]

DEPTH = 1_500


@pytest.mark.subject("backward")
@pytest.mark.needs("__add__")
@pytest.mark.weight(2)
@pytest.mark.hint("Try chains of 10, 100 and 1,500 nodes: from which length on is it wrong, and what is left out?")
def test_backward_on_a_deep_graph(Value, student):
    """`backward()` works on a graph that is 1,500 nodes deep."""
    a, apart = Value(2.0), Value(3.0)
    out = student.repeat_operation("add", a, Value(0.5), DEPTH)
    assert out.data == 2 + DEPTH / 2, f"the sum of all of it is {out.data}"
    apart.grad, a.grad = 7.0, 0.0
    assert a.grad == 0, f"a gradient that was set to 0 is {a.grad}"
    out.backward()
    assert a.grad == 1, f"the gradient of the deepest leaf is {a.grad}"
    assert apart.grad == 7, f"a leaf that is not below it had the gradient 7, and has {apart.grad}"


@pytest.mark.subject("zero_grad")
@pytest.mark.needs("__add__")
@pytest.mark.hint("Try chains of 10, 100 and 1,500 nodes: from which length on is it wrong, and what is left out?")
def test_zero_grad_on_a_deep_graph(Value, student):
    """`zero_grad()` works on a graph that is 1,500 nodes deep."""
    a, b = Value(2.0), Value(0.5)
    out = student.repeat_operation("add", a, b, DEPTH)
    assert out.data == 2 + DEPTH / 2, f"the sum of all of it is {out.data}"
    a.grad = b.grad = out.grad = 3.0
    assert (a.grad, b.grad, out.grad) == (3, 3, 3), "a gradient that was set to 3 is another"
    out.zero_grad()
    assert (a.grad, b.grad, out.grad) == (0, 0, 0), f"gradients are {a.grad}, {b.grad} and {out.grad}"


@pytest.mark.subject("tanh")
@pytest.mark.hint(
    "Take `math.tanh(self.data)`, which does not overflow; a formula with exp needs a guard for both signs."
)
def test_tanh_of_large_numbers(leaves, propagate_gradient):
    """tanh of 1,000 is 1, and of -1,000 it is -1, with a gradient of zero."""
    (a,) = leaves(0.5)
    propagate_gradient(a.tanh(), 2.0)
    assert a.grad != 0, "for 0.5 already, the gradient is 0"
    for number in (1000.0, -1000.0):
        (a,) = leaves(number)
        out = a.tanh()
        propagate_gradient(out, 2.0)
        assert out.data == math.copysign(1, number), f"for one of them, it is {out.data}"
        assert a.grad == 0, f"for one of them, the gradient is {a.grad}"
