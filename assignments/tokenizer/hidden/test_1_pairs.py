"""``count_pairs``: which ids stand side by side, and how often."""

from collections import Counter
from itertools import pairwise

import pytest
from byte_pairs import are_integers, read_dict, show
from many_inputs import ID_LISTS

pytestmark = [pytest.mark.concept("pairs"), pytest.mark.subject("count_pairs")]

kept_simplest = pytest.mark.redundant_ok("the simplest case, and the first to read")


@pytest.fixture
def count(student):
    """``count([1, 2])``: a plain dict of what the student's function gives, be it a dict or a Counter."""
    count_pairs = student.get("count_pairs")
    return lambda ids: read_dict(count_pairs(ids))


@kept_simplest
@pytest.mark.hint("Go along the list, and count each id with the one after it.")
def test_neighbours_are_counted(count):
    """In 1, 2, 3, 1, 2 the pair (1, 2) stands twice, (2, 3) and (3, 1) once."""
    got = count([1, 2, 3, 1, 2])
    assert got == {(1, 2): 2, (2, 3): 1, (3, 1): 1}, f"it gives {got}"


@pytest.mark.hint("Each id but the last begins a pair, and each but the first ends one.")
@pytest.mark.redundant_ok("says what is wrong with pairs: many lists fail as well")
def test_pairs_overlap(count):
    """In 1, 1, 1, 1 the pair (1, 1) stands three times."""
    got = count([1, 1, 1, 1])
    assert got == {(1, 1): 3}, f"it gives {got}"


@pytest.mark.redundant_ok("says that it is the order in a pair")
@pytest.mark.hint("A pair has a first and a second: (1, 2) is not (2, 1).")
def test_a_pair_has_an_order(count):
    """(1, 2) and (2, 1) are two pairs."""
    got = count([1, 2, 1])
    assert got == {(1, 2): 1, (2, 1): 1}, f"it gives {got}"


@pytest.mark.hint("A list of one id has no pair, and gives an empty dict.")
@pytest.mark.redundant_ok("says what is wrong with pairs: many lists fail as well")
def test_lists_too_short_for_a_pair(count):
    """Two ids make one pair; a single id, or none, makes none."""
    for ids, expected in (([7, 8], {(7, 8): 1}), ([7], {}), ([], {})):
        got = count(ids)
        assert got == expected, f"for {len(ids)} ids it gives {got}"


@pytest.mark.weight(3)
@pytest.mark.hint("Look for the shortest list that goes wrong. 0 is an id like any other, and so is one above 255.")
def test_many_lists_of_ids(count):
    """The counts are right in many lists, with 0 and with large ids, short ones and one of 1300 ids."""
    for ids in ID_LISTS:
        got = count(ids)
        assert got == Counter(pairwise(ids)), f"of {show(ids)} it gives {show(got)}"
        assert all(map(are_integers, got)), f"of {show(ids)} it gives {show(got)}: ids are integers"


@pytest.mark.hint("Read the list by its places; `pop` and `del` take ids out of it.")
def test_counting_leaves_the_list(student):
    """The list whose pairs are counted stays as it is."""
    ids = student.make_list(5, 1, 2, 5, 1)
    got = read_dict(student.get("count_pairs")(ids))
    assert got == {(5, 1): 2, (1, 2): 1, (2, 5): 1}, f"it gives {got}"
    assert list(ids) == [5, 1, 2, 5, 1], f"afterwards, the list that was passed holds {list(ids)}"
