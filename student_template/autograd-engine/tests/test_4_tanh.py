"""Last: tanh, and with it a whole neuron. Numbers here may be off by 1e-9, as rounding allows."""

import math

from value import Value


def close(got, expected):
    """Tell whether two numbers agree to within 1e-9."""
    return math.isclose(got, expected, rel_tol=1e-9, abs_tol=1e-9)


def test_tanh_of_a_number():
    """tanh gives the hyperbolic tangent: 0.7616 at 1, and -0.9640 at -2."""
    for number in (1.0, -2.0):
        t = Value(number).tanh()
        expected = math.tanh(number)
        assert close(t.data, expected), f"Value({number}).tanh() gave {t.data}, expected {expected}."


def test_the_derivative_of_tanh():
    """x receives the gradient of t = tanh(x) times 1 - t**2, on top of what it has already."""
    x = Value(0.5)
    t = x.tanh()
    x.grad = 10.0
    t.grad = -3.0
    t._backward()
    expected = 10.0 - 3.0 * (1 - math.tanh(0.5) ** 2)
    assert close(x.grad, expected), (
        f"x.grad is {x.grad}, expected {expected}. Only t._backward() was called, with t.grad = -3 and "
        f"x.grad = 10 before it: 10 + (1 - {math.tanh(0.5):.4f}**2) * -3."
    )


def test_the_neuron():
    """The neuron tanh(x1*w1 + x2*w2 + b) of the handout gives 0.7071, with the four gradients named there."""
    x1, x2 = Value(2.0), Value(0.0)
    w1, w2 = Value(-3.0), Value(1.0)
    b = Value(6.8813735870195432)
    out = (x1 * w1 + x2 * w2 + b).tanh()
    out.backward()
    expected_out = math.sqrt(2) / 2
    assert close(out.data, expected_out), f"the output is {out.data}, expected {expected_out}."
    for name, node, expected in (("x1", x1, -1.5), ("w1", w1, 1.0), ("x2", x2, 0.5), ("w2", w2, 0.0)):
        assert close(node.grad, expected), f"{name}.grad is {node.grad}, expected {expected}."
