"""First: make nodes, add and multiply them. Nothing here needs a gradient yet."""

from value import Value


def test_a_value_keeps_its_number():
    """Value(2.5) keeps its number in .data, whether an int or a float, negative or zero."""
    for number in (2.5, -3, 0):
        node = Value(number)
        assert node.data == number, f"Value({number}).data is {node.data}, expected {number}. Look at __init__."


def test_the_gradient_starts_at_zero():
    """The .grad of a new Value is zero, since nothing has been passed back to it yet."""
    a = Value(2.0)
    assert a.grad == 0, f"the .grad of a new Value is {a.grad}, expected 0.0. Look at __init__."


def test_addition():
    """Adding two Values gives a new Value with the sum of their numbers."""
    a, b = Value(2.0), Value(-3.0)
    c = a + b
    assert c.data == -1.0, f"2 + (-3) gave {c.data}, expected -1.0. Look at __add__."


def test_multiplication():
    """Multiplying two Values gives a new Value with the product of their numbers."""
    a, b = Value(2.0), Value(-3.0)
    c = a * b
    assert c.data == -6.0, f"2 * (-3) gave {c.data}, expected -6.0. Look at __mul__."


def test_adding_a_plain_number():
    """The right operand of + may be a plain int or float."""
    a = Value(2.0)
    b, c = a + 1, a + 0.5
    assert b.data == 3.0, f"Value(2.0) + 1 gave {b.data}, expected 3.0. Make a Value of the number first."
    assert c.data == 2.5, f"Value(2.0) + 0.5 gave {c.data}, expected 2.5. Floats are numbers too."


def test_multiplying_by_a_plain_number():
    """The right operand of * may be a plain int or float."""
    a = Value(3.0)
    b, c = a * 2, a * 0.5
    assert b.data == 6.0, f"Value(3.0) * 2 gave {b.data}, expected 6.0. Make a Value of the number first."
    assert c.data == 1.5, f"Value(3.0) * 0.5 gave {c.data}, expected 1.5. Floats are numbers too."


def test_a_result_remembers_its_operands():
    """The _prev of a result holds the very nodes it was made from; the _prev of a leaf holds none."""
    a, b = Value(2.0), Value(3.0)
    for name, result in (("a + b", a + b), ("a * b", a * b)):
        operands = list(result._prev)
        assert any(node is a for node in operands), f"a is missing in the _prev of {name}."
        assert any(node is b for node in operands), f"b is missing in the _prev of {name}."
        assert len(operands) == 2, f"the _prev of {name} has {len(operands)} nodes, expected 2: a and b."
    leaf = list(a._prev)
    assert leaf == [], f"a is a leaf and still a leaf after a + b, but its _prev has {len(leaf)} nodes."
