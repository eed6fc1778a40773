# ruff: noqa: F403, F405
# mypy: ignore-errors
"""A hidden test file as most courses write it: it imports the submission into its own process."""

import math

from value import *

SECRET = "a canary stands here"
NUMBER = 0.48151623421


def test_add():
    assert (Value(2.0) + Value(3.0)).data == 5.0


def test_mul():
    assert (Value(2.0) * Value(3.0)).data == 6.0


def test_a_secret_number():
    assert (Value(NUMBER) * Value(2.0)).data == 2 * NUMBER


def test_tanh():
    for x in (0.5, -1.25):
        expected = math.tanh(x)
        assert math.isclose(Value(x).tanh().data, expected)


def test_backward_of_a_sum():
    a, b = Value(2.0), Value(3.0)
    (a + b).backward()
    assert a.grad == 1.0
    assert b.grad == 1.0


def test_backward_of_a_product():
    a, b = Value(2.0), Value(3.0)
    (a * b).backward()
    assert (a.grad, b.grad) == (3.0, 2.0)


def test_accumulation():
    a = Value(3.0)
    (a + a).backward()
    assert a.grad == 2.0


def test_zero_grad():
    a = Value(3.0)
    out = a * a
    out.backward()
    assert a.grad == 6.0
    out.zero_grad()
    assert a.grad == 0.0


def test_tanh_of_a_large_number():
    assert Value(20.0).tanh().data == 1.0


def test_zero_grad_gives_the_value_back():
    assert isinstance(Value(2.0).zero_grad(), Value)


def test_converts_to_a_number():
    a = Value(2.0)
    assert isinstance(a, float) or float(a) == 2.0


def test_plain_numbers():
    assert Value(2.0) * 3.0 == Value(6.0)


def test_operands():
    a, b = Value(2.0), Value(3.0)
    assert sorted(v.data for v in (a * b + a)._prev) == [2.0, 6.0]


def test_tanh_has_one_operand():
    a = Value(2.0)
    assert a.tanh()._prev == (a,)


def test_relu():
    for x in (-1.0, 2.0):
        assert Value(x).relu().data == max(0.0, x)


def test_table():
    for x, expected in ((0.0, 1.0), (0.5, 1 - math.tanh(0.5) ** 2), (-1.0, 1 - math.tanh(1.0) ** 2)):
        a = Value(x)
        a.tanh().backward()
        if abs(a.grad - expected) > 1e-6:
            raise AssertionError(f"wrong at {x}")


def test_numeric_gradient():
    a, b, h = Value(2.0), Value(3.0), 1e-6
    (a * b).backward()
    numeric = ((2.0 + h) * 3.0 - 2.0 * 3.0) / h
    assert abs(a.grad - numeric) <= 1e-4 * abs(a.grad) + 1e-9


def test_worked_example():
    a, b, c = Value(2.0), Value(3.0), Value(1.0)
    ((a * b + c) * (a + b)).backward()
    assert (a.grad, b.grad, c.grad) == (22.0, 17.0, 5.0)
