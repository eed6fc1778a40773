"""What a vector holds, its sum with another, and their dot product."""

import pytest

pytestmark = pytest.mark.needs("__init__")
simplest_case = pytest.mark.redundant_ok("the simplest case, and the first to read")


@pytest.fixture
def Vector(student):
    return student.get("Vector")


@pytest.mark.concept("construction")
@pytest.mark.subject("__init__")
@simplest_case
@pytest.mark.hint("Does `__init__` assign `self.numbers`, and in the order that it was given?")
def test_it_keeps_its_numbers(Vector):
    """A vector keeps its numbers in their order."""
    got = Vector([3.0, 1.0, 2.0]).numbers
    assert list(got) == [3.0, 1.0, 2.0], f"of 3, 1, 2 it keeps {got}"


@pytest.mark.concept("construction")
@pytest.mark.subject("__init__")
@pytest.mark.hint("`list(numbers)` makes a new list.")
def test_its_list_is_its_own(Vector, student):
    """Changing the list afterwards does not change the vector."""
    numbers = student.make_list()
    numbers.append(1.0)
    vector = Vector(numbers)
    numbers.append(2.0)
    got = vector.numbers
    assert list(got) == [1.0], f"a vector of 1 holds {got} after 2 was appended to the list it was made from"


@pytest.mark.concept("addition")
@pytest.mark.subject("__add__")
@simplest_case
@pytest.mark.hint("Add the first numbers of both vectors, then the second ones, and so on.")
def test_sums_place_by_place(Vector):
    """The numbers at each place are added."""
    got = (Vector([1.0, 2.0, 4.0]) + Vector([3.0, 5.0, 9.0])).numbers
    assert list(got) == [4.0, 7.0, 13.0], f"1, 2, 4 plus 3, 5, 9 gives {got}"


@pytest.mark.concept("addition")
@pytest.mark.subject("__add__")
@pytest.mark.hint("Collect the sums in a new list, and return a `Vector` of that.")
def test_addition_changes_neither_operand(Vector):
    """Adding leaves both vectors as they were, and makes a third."""
    a, b = Vector([1.0, 2.0]), Vector([3.0, 5.0])
    total = a + b
    assert list(total.numbers) == [4.0, 7.0], f"1, 2 plus 3, 5 gives {total.numbers}"
    assert list(a.numbers) == [1.0, 2.0], f"the left vector was 1, 2 and is {a.numbers} afterwards"
    assert list(b.numbers) == [3.0, 5.0], f"the right vector was 3, 5 and is {b.numbers} afterwards"
    assert total != a and total != b, "the sum is one of the two vectors"


@pytest.mark.concept("dot product")
@pytest.mark.subject("dot")
@simplest_case
@pytest.mark.hint("Multiply the numbers at each place, then add up the products.")
def test_the_dot_product(Vector):
    """The products of the numbers at each place are summed up."""
    got = Vector([1.0, 2.0, 4.0]).dot(Vector([3.0, 5.0, 9.0]))
    assert got == 49.0, f"the dot product of 1, 2, 4 and 3, 5, 9 is {got}"


@pytest.mark.concept("dot product")
@pytest.mark.subject("dot")
@pytest.mark.hint("Is there an `abs`, or a condition that leaves some numbers out?")
def test_the_dot_product_of_negative_numbers(Vector):
    """Negative numbers count as such."""
    got = Vector([-1.0, 2.0]).dot(Vector([3.0, 0.5]))
    assert got == -2.0, f"the dot product of -1, 2 and 3, 0.5 is {got}"
