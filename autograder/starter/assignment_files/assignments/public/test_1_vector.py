"""First: what a vector holds, and how two vectors are added and multiplied."""

from value import Vector


def test_it_keeps_its_numbers():
    """A vector keeps its numbers in their order."""
    assert Vector([3.0, 1.0, 2.0]).numbers == [3.0, 1.0, 2.0]


def test_sums_place_by_place():
    """The numbers at each place are added."""
    got = (Vector([1.0, 2.0]) + Vector([3.0, 5.0])).numbers
    assert got == [4.0, 7.0], f"1, 2 plus 3, 5 gives {got}, expected [4.0, 7.0]"


def test_the_dot_product():
    """The products of the numbers at each place are summed up."""
    got = Vector([1.0, 2.0]).dot(Vector([3.0, 5.0]))
    assert got == 13.0, f"the dot product of 1, 2 and 3, 5 is {got}, expected 13.0"
