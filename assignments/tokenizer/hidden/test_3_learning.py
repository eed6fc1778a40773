"""``Tokenizer(text, size)``: which pairs become pieces, and in which order."""

import pytest
from byte_pairs import PHRASE, find_rarer_pair

pytestmark = [pytest.mark.concept("learning"), pytest.mark.subject("Tokenizer.__init__")]

kept_simplest = pytest.mark.redundant_ok("the simplest case, and the first to read")
kept_part = pytest.mark.redundant_ok("says which part of learning is wrong: texts and pieces in use fail as well")


@pytest.fixture
def learnt(student):
    """``learnt("abab", 257)``: the pairs and their ids, in the order of learning."""
    make = student.get("Tokenizer")

    def run(text, size):
        merges = make(text, size).merges
        assert not isinstance(merges, int | float | str | list | None), "`merges` is no dict"
        return {pair: merges[pair] for pair in merges}

    return run


@kept_simplest
@pytest.mark.needs("count_pairs")
@pytest.mark.hint("The first pair to be learnt is the most frequent one of the bytes, and gets 256.")
def test_the_first_pair(learnt):
    """In "xabyabzab" the pair of a and b comes first, and gets 256."""
    got = learnt("xabyabzab", 257)
    assert got == {(97, 98): 256}, f"it learns {got}"


@pytest.mark.weight(2)
@pytest.mark.needs("count_pairs", "merge")
@kept_part
@pytest.mark.hint("Merge the pair before you count again, so that pieces become parts of larger ones.")
def test_pieces_of_pieces(learnt):
    """From "low lower lowest" it learns lo, then low, then a blank with low, then that with e."""
    got = learnt("low lower lowest", 260)
    expected = {(108, 111): 256, (256, 119): 257, (32, 257): 258, (258, 101): 259}
    assert got == expected, f"it learns {got}"
    assert list(got) == list(expected), "the order of `merges` is another than that of learning"
    got = learnt(PHRASE, 280)
    assert len(got) == 24, f"from a longer text, with size 280, it learns {len(got)} pairs"
    rarer = find_rarer_pair(PHRASE, got)
    assert not rarer, f"from a longer text, pair number {rarer} is not among the most frequent at that moment"


@pytest.mark.needs("count_pairs", "merge")
@pytest.mark.hint("Of several pairs with the same count take the smallest: `min` and `sorted` compare pairs.")
def test_the_smallest_of_equals(learnt):
    """Of pairs that are equally frequent, the smallest comes first, wherever it stands."""
    for text, expected in (
        ("zyba", [(98, 97), (121, 256), (122, 257)]),
        ("cdab", [(97, 98), (99, 100), (257, 256)]),
        ("acab", [(97, 98), (97, 99), (257, 256)]),
    ):
        got = list(learnt(text, 259))
        assert got == expected, f"from {text!r} it learns {got}"


@pytest.mark.needs("count_pairs", "merge")
@kept_part
@pytest.mark.hint("`size` counts all ids, and the 256 bytes are among them.")
def test_the_size(learnt):
    """With `size` 256 nothing is learnt, and with 258 two pairs are."""
    for size, count in ((256, 0), (257, 1), (258, 2)):
        got = learnt("abcabcabc", size)
        assert len(got) == count, f"with size {size}, it learns {len(got)} pairs"
        assert list(got.values()) == list(range(256, size)), f"the new ids are {list(got.values())}"
        assert all(isinstance(new, int) for new in got.values()), "the new ids are no integers"


@pytest.mark.needs("count_pairs", "merge")
@pytest.mark.hint("Without a pair of neighbours there is nothing to learn: leave the loop.")
def test_nothing_left_to_learn(learnt):
    """It stops early once a single id is left: "abab" has two pairs to learn, whatever the size."""
    for text, count in (("abab", 2), ("a", 0), ("", 0), ("abcdefghijklmnop", 15)):
        got = learnt(text, 300)
        assert len(got) == count, f"from {text!r} it learns {len(got)} pairs"


@pytest.mark.needs("count_pairs", "merge")
@kept_part
@pytest.mark.hint("`text.encode()` gives the bytes; `ord` gives numbers above 255 for many characters.")
def test_texts_are_bytes(learnt):
    """A text is its UTF-8 bytes: é is 195 and 169, so a pair already."""
    got = learnt("é€é", 257)
    assert got == {(195, 169): 256}, f"it learns {got}"
