"""``merge``: each occurrence of a pair becomes one id."""

import pytest

pytestmark = [pytest.mark.concept("merging"), pytest.mark.subject("merge")]

kept_simplest = pytest.mark.redundant_ok("the simplest case, and the first to read")
kept_sides = pytest.mark.redundant_ok("says where in the list it goes wrong")


@pytest.fixture
def merged(student):
    """``merged([1, 2], (1, 2), 9)``: the ids in what the student's function gives."""
    merge = student.get("merge")

    def run(ids, pair, new=9):
        got = merge(ids, pair, new)
        assert isinstance(got, list | tuple), "it gives no list"
        return list(got)

    return run


@pytest.mark.weight(2)
@kept_simplest
@pytest.mark.hint("Go along the list: where the pair begins, append the new id and go two steps, elsewhere one.")
def test_every_occurrence(merged):
    """In 5, 1, 2, 6, 1, 2, 7 both pairs (1, 2) become 9, and everything else stays in its place."""
    got = merged([5, 1, 2, 6, 1, 2, 7], (1, 2))
    assert got == [5, 9, 6, 9, 7], f"it gives {got}"
    got = merged([1, 2, 3] * 40, (1, 2))
    assert got == [9, 3] * 40, f"of 120 ids it makes {len(got)}"


@pytest.mark.hint("No id belongs to two pairs: after a pair, go on behind it.")
@kept_sides
def test_no_id_is_used_twice(merged):
    """With the pair (1, 1), three ones become 9, 1 and five become 9, 9, 1."""
    for count, expected in ((3, [9, 1]), (5, [9, 9, 1]), (4, [9, 9])):
        got = merged([1] * count, (1, 1))
        assert got == expected, f"{count} ones become {got}"


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
    got = merged([11, 2, 1, 23, 1, 2], (1, 2), 256)
    assert got == [11, 2, 1, 23, 256], f"of 11, 2, 1, 23, 1, 2 it makes {got}"


@pytest.mark.hint("Build a new list; `del` and `pop` change the one that was passed.")
def test_the_list_that_was_passed_stays(student):
    """The list that is passed stays as it is."""
    ids = student.make_list(5, 1, 2, 6)
    got = list(student.get("merge")(ids, (1, 2), 9))
    assert got == [5, 9, 6], f"it gives {got}"
    assert list(ids) == [5, 1, 2, 6], f"afterwards, the list that was passed holds {list(ids)}"
    got = student.call_and_keep_result(student.get("merge"), ids, (6, 1), 9)
    assert got is not ids, "where there is nothing to merge, it gives the list that was passed, and no new one"
