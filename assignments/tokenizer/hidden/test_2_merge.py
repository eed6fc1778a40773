"""``merge``: each occurrence of a pair becomes one id."""

import pytest
from byte_pairs import are_integers, merge, read_ids, require_list, show
from many_inputs import MERGES

pytestmark = [pytest.mark.concept("merging"), pytest.mark.subject("merge")]

kept_simplest = pytest.mark.redundant_ok("the simplest case, and the first to read")
kept_sides = pytest.mark.redundant_ok("says where in the list it goes wrong")


@pytest.fixture
def merged(student):
    """``merged([1, 2], (1, 2), 9)``: the ids in what the student's function gives."""
    merge = student.get("merge")
    return lambda ids, pair, new=9: read_ids(merge(ids, pair, new))


@pytest.mark.weight(2)
@kept_simplest
@pytest.mark.hint("Go along the list: where the pair begins, append the new id and go two steps, elsewhere one.")
def test_every_occurrence(merged):
    """In 5, 1, 2, 6, 1, 2, 7 both pairs (1, 2) become 9, and everything else stays in its place."""
    got = merged([5, 1, 2, 6, 1, 2, 7], (1, 2))
    assert got == [5, 9, 6, 9, 7], f"it gives {got}"


@pytest.mark.hint("Go from left to right, and after a pair go on behind it: no id belongs to two pairs.")
@kept_sides
def test_no_id_is_used_twice(merged):
    """With the pair (1, 1), three ones become 9, 1 and five become 9, 9, 1; a new id begins no pair either."""
    for count, expected in ((3, [9, 1]), (5, [9, 9, 1]), (4, [9, 9])):
        got = merged([1] * count, (1, 1))
        assert got == expected, f"{count} ones become {got}"
    got = merged([1, 1, 1], (1, 1), 1)
    assert got == [1, 1], f"3 ones become {got}, where the new id is 1, too"


@kept_sides
@pytest.mark.hint("Look at both ends: a pair may stand there, and so may an id that belongs to none.")
def test_both_ends(merged):
    """A pair at the beginning or the end is merged, and a single id at the end is kept."""
    for ids, expected in (([1, 2, 3], [9, 3]), ([3, 1, 2], [3, 9]), ([1, 2, 1], [9, 1]), ([1, 2], [9]), ([1], [1])):
        got = merged(ids, (1, 2))
        assert got == expected, f"of {ids} it makes {got}"


@kept_sides
@pytest.mark.hint("Compare both ids of the pair, in their order.")
def test_only_that_pair(merged):
    """(2, 1), (1, 3) and (3, 2) are other pairs than (1, 2), and stay."""
    got = merged([2, 1, 3, 2, 1, 2], (1, 2))
    assert got == [2, 1, 3, 2, 9], f"of 2, 1, 3, 2, 1, 2 it makes {got}"


@pytest.mark.weight(3)
@pytest.mark.hint("Look for the shortest list that goes wrong. 0 is an id like any other, and so is one above 255.")
def test_many_lists_and_pairs(merged):
    """Merging is right in many lists, with 0 and with large ids, short ones and one of 1300 ids."""
    for ids, pair, new in MERGES:
        got = merged(ids, pair, new)
        assert got == merge(ids, pair, new), f"of {show(ids)} and the pair {pair} it makes {show(got)}"
        assert are_integers(got), f"of {show(ids)} and the pair {pair} it makes {show(got)}: ids are integers"


@pytest.mark.hint("Build a new list; `del` and `pop` change the one that was passed.")
def test_the_list_that_was_passed_stays(student):
    """The list that is passed stays as it is."""
    ids = student.make_list(5, 1, 2, 6)
    got = read_ids(student.get("merge")(ids, (1, 2), 9))
    assert got == [5, 9, 6], f"it gives {got}"
    assert list(ids) == [5, 1, 2, 6], f"afterwards, the list that was passed holds {list(ids)}"


@pytest.mark.hint("Make the new list inside the function, each time, and return that list.")
def test_the_result_is_a_new_list(student):
    """The result is a list, and a new one on every call."""
    merge = student.get("merge")
    ids = student.make_list(5, 1, 2, 6)
    first, second, same = (student.call_and_keep_result(merge, ids, pair, 9) for pair in ((1, 2), (1, 2), (6, 1)))
    require_list(student, first)
    assert list(first) == [5, 9, 6], f"it gives {list(first)}"
    assert first is not second, "a second call gives the very same list"
    assert same is not ids, "where there is nothing to merge, it gives the list that was passed, and no new one"
