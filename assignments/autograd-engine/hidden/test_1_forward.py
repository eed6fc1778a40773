"""Numbers forward, and the graph that they leave behind."""

import pytest

from autograder.bridge import StudentError

pytestmark = [pytest.mark.concept("forward"), pytest.mark.needs("__init__")]

PAIRS = (
    *((2.0, 3.0), (-5.0, 3.0), (4, -7), (0, 3), (3.5, 3.5), (1e-9, 0.25), (0.123456789, -0.987654321)),
    *((1e-12, 3e-13), (-1e-30, 5.0), (1e100, -7.0), (10**12, 0.5)),
)
"""Whole, negative, zero, equal, with many decimals, tiny, and huge."""

FORGETS_OPERANDS = "following `_prev` from it does not lead to its operands"

kept_numbers = pytest.mark.redundant_ok("a number or a graph at which some slip of the pen shows")
kept_simplest = pytest.mark.redundant_ok("the simplest case, and the first to read")
kept_sides = pytest.mark.redundant_ok("says which operand or which operation it is")
kept_whole = pytest.mark.redundant_ok("marks for the whole, whichever part of it is wrong")

about_init = pytest.mark.subject("__init__")
about_add = pytest.mark.subject("__add__")
about_mul = pytest.mark.subject("__mul__")


@about_init
@pytest.mark.hint("Store the argument of `__init__` as it is, in `self.data`.")
@kept_simplest
def test_a_value_holds_its_number(Value):
    """A Value holds the number it was made from."""
    for number in (2.7, -3.0, 4, 0.0, 0, -7, 0.123456789012, 1e-9, 1e-12, -3e-200, -1e15, 1e100, 10**12):
        data = Value(number).data
        assert data == number, f"for one number, data is {data}"
    try:
        yes, no = Value(True), Value(False)
    except StudentError:
        return  # a class may refuse True and False, although they are ints
    assert (yes.data, no.data) == (1, 0), f"for True and False, data is {yes.data} and {no.data}"
    assert (yes.grad, no.grad) == (0, 0), f"for True and False, grad is {yes.grad} and {no.grad}"


@about_init
@pytest.mark.hint("Set `self.grad = 0.0` in `__init__`.")
@kept_simplest
def test_a_gradient_starts_at_zero(Value):
    """Before any backward pass, a gradient is zero."""
    grad = Value(3.0).grad
    assert grad == 0, f"grad is {grad}"


@about_init
@pytest.mark.hint("A leaf's `_prev` is an empty tuple, list or set.")
@kept_simplest
def test_a_leaf_has_no_operands(Value, student):
    """A Value that was made from a number has no operands."""
    Value(5.0)
    operands = Value(3.0)._prev
    kind = student.get_class_name(operands)
    assert operands is not None, "_prev is None"
    assert not isinstance(operands, int | float | str), f"_prev is of type {kind}"
    assert len(list(operands)) == 0, f"_prev holds {len(list(operands))}"


@about_init
@pytest.mark.hint("In `__init__`, set `self._backward` to a function that does nothing.")
@kept_simplest
def test_the_backward_of_a_leaf_does_nothing(Value):
    """A leaf's `_backward` can be called and changes nothing."""
    a = Value(3.0)
    a.grad = 2.0
    a._backward()
    assert a.data == 3
    assert a.grad == 2, f"grad is {a.grad}"


@about_init
@pytest.mark.hint("`_op` is a string, such as '+' for a sum; '' for a leaf.")
def test_a_leaf_names_its_operation_with_a_string(Value, student):
    """`_op` is a string."""
    operation = Value(3.0)._op
    assert isinstance(operation, str), f"it is of type {student.get_class_name(operation)}"


@about_add
@pytest.mark.hint("The result's data is `self.data + other.data`.")
@kept_sides
def test_a_sum_adds(Value):
    """`a + b` holds the sum of the two numbers."""
    for left, right in PAIRS:
        data = (Value(left) + Value(right)).data
        assert data == left + right, f"for one pair of numbers, data is {data}"


@about_mul
@pytest.mark.hint("The result's data is `self.data * other.data`.")
@kept_sides
def test_a_product_multiplies(Value):
    """`a * b` holds the product of the two numbers."""
    for left, right in PAIRS:
        data = (Value(left) * Value(right)).data
        assert data == left * right, f"for one pair of numbers, data is {data}"


def check_operands(result, *expected):
    """The operands are in ``_prev``."""
    operands = list(result._prev)
    numbers = [operand for operand in operands if isinstance(operand, int | float)]
    assert not numbers, f"_prev holds {numbers}, and not the operands"
    assert set(operands) == set(expected), f"_prev holds {len(operands)} objects, not both operands"


@about_add
@pytest.mark.hint("Hand the operands on: `Value(..., (self, other), '+')`.")
@kept_sides
def test_a_sum_remembers_its_operands(Value):
    """The `_prev` of a sum holds its two operands, and nothing else."""
    a, b = Value(2.0), Value(3.0)
    check_operands(a + b, a, b)
    assert set((a + a)._prev) == {a}
    zero = Value(0.0)
    check_operands(a + zero, a, zero)


@about_mul
@pytest.mark.hint("Hand the operands on: `Value(..., (self, other), '*')`.")
@kept_sides
def test_a_product_remembers_its_operands(Value):
    """The `_prev` of a product holds its two operands, and nothing else."""
    a, b = Value(2.0), Value(3.0)
    check_operands(a * b, a, b)
    assert set((a * a)._prev) == {a}
    zero = Value(0.0)
    check_operands(a * zero, a, zero)


def _check_new_node(Value, a, b, operation):
    numbers, starts, operations = (a.data, b.data), Value(3.0).grad, (a._op, b._op)
    a.grad, b.grad = 7.0, 5.0
    result = operation(a, b)
    assert result is not a, "it is the left operand itself"
    assert result is not b, "it is the right operand itself"
    assert isinstance(result, Value), "it is no Value"
    assert result.grad == starts, f"its gradient starts at {result.grad}"
    assert isinstance(result._op, str), "its _op is no string"
    assert (a.data, b.data) == numbers, f"the operands now hold {a.data} and {b.data}"
    assert (a.grad, b.grad) == (7, 5), f"the operands had gradients of 7 and 5, and now {a.grad} and {b.grad}"
    assert list(a._prev) == [], "the left operand has operands now"
    assert list(b._prev) == [], "the right operand has operands now"
    assert (a._op, b._op) == operations, "the _op of an operand is another one now"
    result.grad = 3.0
    a._backward()
    b._backward()
    assert (a.grad, b.grad) == (7, 5), "the _backward of an operand does something now"
    number = result.data
    operation(result, b)
    assert set(result._prev) == {a, b}, "a result that is used has other operands now"
    assert (result.data, result.grad) == (number, 3), "a result that is used has another number or gradient now"


@about_add
@pytest.mark.hint("Make a new Value for the result; do not write to `self` or `other`.")
@kept_sides
def test_a_sum_is_a_new_node_and_leaves_its_operands_alone(Value):
    """A sum is a new Value, and its operands stay as they were."""
    a, b = Value(2.0), Value(3.0)
    _check_new_node(Value, a, b, lambda left, right: left + right)


@about_mul
@pytest.mark.hint("Make a new Value for the result; do not write to `self` or `other`.")
@kept_sides
def test_a_product_is_a_new_node_and_leaves_its_operands_alone(Value):
    """A product is a new Value, and its operands stay as they were."""
    a, b = Value(2.0), Value(3.0)
    _check_new_node(Value, a, b, lambda left, right: left * right)


def _check_equal_numbers(Value, operation):
    a, b, c, d = Value(2.0), Value(3.0), Value(2.0), Value(3.0)
    assert a is not c, "two Values that hold the same number are one object"
    first, second = operation(a, b), operation(c, d)
    assert first is not second, "for other operands that hold the same numbers, it is the same node once more"
    assert set(second._prev) == {c, d}, "for other operands that hold the same numbers, _prev holds the wrong ones"
    assert operation(c, d) is not second, "for the same operands once more, it is the same node once more"


@about_add
@pytest.mark.hint("Make a new node at every call: equal numbers do not make two nodes the same.")
@kept_numbers
def test_sums_of_equal_numbers_are_different_nodes(Value):
    """Every sum is a node of its own, even if numbers or operands are equal."""
    _check_equal_numbers(Value, lambda left, right: left + right)


@about_mul
@pytest.mark.hint("Make a new node at every call: equal numbers do not make two nodes the same.")
@kept_numbers
def test_products_of_equal_numbers_are_different_nodes(Value):
    """Every product is a node of its own, even if numbers or operands are equal."""
    _check_equal_numbers(Value, lambda left, right: left * right)


@about_add
@pytest.mark.hint("Leave `__iadd__` out: Python then makes `a = a + b` of `a += b`.")
def test_plus_equals_leaves_the_old_value_alone(Value, student, are_below):
    """`total += b` makes a new Value; another name for the old one still holds the old number."""
    a, b = Value(2.0), Value(3.0)
    total = student.repeat_operation("iadd", a, b, 1)
    assert isinstance(total, Value), "it is no Value"
    assert total.data == 5, f"it holds {total.data}"
    assert a.data == 2, f"the old Value now holds {a.data}"
    assert total is not a, "it is the old Value itself"
    assert are_below(total, a, b), FORGETS_OPERANDS


@about_mul
@pytest.mark.hint("Leave `__imul__` out: Python then makes `a = a * b` of `a *= b`.")
@kept_numbers
def test_times_equals_leaves_the_old_value_alone(Value, student, are_below):
    """`total *= b` makes a new Value; another name for the old one still holds the old number."""
    a, b = Value(2.0), Value(3.0)
    total = student.repeat_operation("imul", a, b, 1)
    assert isinstance(total, Value), "it is no Value"
    assert total.data == 6, f"it holds {total.data}"
    assert a.data == 2, f"the old Value now holds {a.data}"
    assert total is not a, "it is the old Value itself"
    assert are_below(total, a, b), FORGETS_OPERANDS


def check_true(Value, operation):
    """``True`` counts as 1 on the right, unless the operation refuses it."""
    try:
        result = operation(Value(2.0), True)
    except StudentError:
        return
    assert result.data == operation(2, True), f"for True, data is {result.data}"


def check_operand_and_number(result, a, number):
    """``_prev`` holds the Value, and beside it at most the plain number, as it is or as a leaf."""
    operands = list(result._prev)
    others = [operand for operand in operands if operand is not a]
    assert len(others) < len(operands), "the Value is not among the operands of the result"
    held = [one if isinstance(one, int | float) else one.data for one in others]
    assert held in ([], [number]), f"beside the Value, _prev holds {held}"


@about_add
@pytest.mark.hint("Start with `other = other if isinstance(other, Value) else Value(other)`.")
@kept_sides
def test_a_plain_number_can_be_added(Value):
    """`a + 3` and `a + 0.5` work, with a plain number on the right."""
    for number in (3, 0.5, -4.0, -5, 0, 0.0, 1, 1e15, 1e-12, -0.001):
        a = Value(2.0)
        result = a + number
        assert isinstance(result, Value), "the result is no Value"
        assert result.data == 2 + number, f"for one number, data is {result.data}"
        check_operand_and_number(result, a, number)
    check_true(Value, lambda a, number: a + number)


@about_mul
@pytest.mark.hint("Start with `other = other if isinstance(other, Value) else Value(other)`.")
@kept_sides
def test_a_plain_number_can_be_multiplied(Value):
    """`a * 3` and `a * 0.5` work, with a plain number on the right."""
    for number in (3, 0.5, -4.0, -5, 0, 0.0, 1, -1, 1e15, 1e-12, -0.001):
        a = Value(2.0)
        result = a * number
        assert isinstance(result, Value), "the result is no Value"
        assert result.data == 2 * number, f"for one number, data is {result.data}"
        check_operand_and_number(result, a, number)
    check_true(Value, lambda a, number: a * number)


def _check_new_node_of_number(Value, student, operation):
    for number in (3, 0.5, -4.0, 0):
        a, starts = Value(2.0), Value(3.0).grad
        a.grad, op = 7.0, a._op
        result = operation(a, number)
        kind = student.get_class_name(result._op)
        assert result is not a, "it is the Value itself"
        assert result.data == operation(2, number), f"its number is {result.data}"
        assert isinstance(result._op, str), f"its _op is of type {kind}"
        assert result.grad == starts, f"its gradient starts at {result.grad}"
        assert (a.data, a.grad) == (2, 7), f"the Value held 2 with a gradient of 7, and now {a.data} with {a.grad}"
        assert list(a._prev) == [], "the Value has operands now"
        assert a._op == op, "the _op of the Value is another one now"


@about_add
@pytest.mark.hint("Make a new Value for the result of `a + 3` too, with an `_op`; do not write to `self`.")
@kept_sides
def test_a_sum_with_a_plain_number_is_a_new_node(Value, student):
    """`a + 3` is a new node, and a stays as it was."""
    _check_new_node_of_number(Value, student, lambda a, number: a + number)


@about_mul
@pytest.mark.hint("Make a new Value for the result of `a * 3` too, with an `_op`; do not write to `self`.")
@kept_sides
def test_a_product_with_a_plain_number_is_a_new_node(Value, student):
    """`a * 3` is a new node, and a stays as it was."""
    _check_new_node_of_number(Value, student, lambda a, number: a * number)


@pytest.mark.subject("__add__", "__mul__")
@pytest.mark.hint("Compute each step by hand and compare: which one is the first to differ?")
@kept_whole
def test_expressions_nest(Value):
    """Results of operations are operands of others, on the left and on the right."""
    a, b, c = Value(2.0), Value(3.0), Value(1.0)
    data = ((a * b + c) * (a + b)).data
    assert data == 35, f"an expression of five operations gives {data}"
    data = (a * (b + c * (a + b))).data
    assert data == 16, f"an expression that leans to the right gives {data}"
