"""First: counting pairs, and merging them."""

from value import count_pairs, merge


def test_pairs_are_counted():
    """In [1, 2, 3, 1, 2] the pair (1, 2) stands twice."""
    got = dict(count_pairs([1, 2, 3, 1, 2]))
    assert got == {(1, 2): 2, (2, 3): 1, (3, 1): 1}, f"count_pairs gave {got}, expected (1, 2) twice, others once."


def test_pairs_may_overlap():
    """In [1, 1, 1] the pair (1, 1) stands twice."""
    got = dict(count_pairs([1, 1, 1]))
    assert got == {(1, 1): 2}, f"count_pairs gave {got}, expected {{(1, 1): 2}}."


def test_a_pair_is_merged():
    """Each pair (1, 2) becomes 9."""
    got = list(merge([5, 1, 2, 6, 1, 2], (1, 2), 9))
    assert got == [5, 9, 6, 9], f"merge gave {got}, expected [5, 9, 6, 9]."


def test_no_id_is_used_twice():
    """Three ones become one pair and a one."""
    got = list(merge([1, 1, 1], (1, 1), 9))
    assert got == [9, 1], f"merge gave {got}, expected [9, 1]. After a pair, go on behind it."
