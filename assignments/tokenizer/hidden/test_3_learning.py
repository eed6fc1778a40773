"""``Tokenizer(text, size)``: which pairs become pieces, and in which order."""

import pytest
from byte_pairs import are_integers, learn, read_dict, show
from many_inputs import TRAINING

pytestmark = [pytest.mark.concept("learning"), pytest.mark.subject("Tokenizer.__init__")]

kept_simplest = pytest.mark.redundant_ok("the simplest case, and the first to read")
kept_part = pytest.mark.redundant_ok("says which part of learning is wrong: many texts fail as well")


@pytest.fixture
def learnt(student):
    """``learnt("abab", 257)``: the pairs and their ids, in the order of learning."""
    make = student.get("Tokenizer")
    return lambda text, size: read_dict(make(text, size).merges)


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
@pytest.mark.hint("After each pair, merge it and count again; of pairs that are equally frequent, take the smallest.")
def test_pieces_of_pieces(learnt):
    """From "low lower lowest" it learns lo, then low, then a blank with low, then that with e."""
    got = learnt("low lower lowest", 260)
    expected = {(108, 111): 256, (256, 119): 257, (32, 257): 258, (258, 101): 259}
    assert got == expected, f"it learns {got}"
    assert list(got) == list(expected), "the order of `merges` is another than that of learning"


@pytest.mark.needs("count_pairs", "merge")
@kept_part
@pytest.mark.hint("Of several pairs with the same count take the smallest: `min` and `sorted` compare pairs.")
def test_the_smallest_of_equals(learnt):
    """Of pairs that are equally frequent, the smallest comes first, wherever it stands."""
    for text, expected in (("zyba", [(98, 97), (121, 256), (122, 257)]), ("cdab", [(97, 98), (99, 100), (257, 256)])):
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


@pytest.mark.needs("count_pairs", "merge")
@kept_part
@pytest.mark.hint("Without a pair of neighbours there is nothing to learn: leave the loop.")
def test_nothing_left_to_learn(learnt):
    """It stops early once a single id is left: "abab" has two pairs to learn, whatever the size."""
    for text, count in (("abab", 2), ("a", 0), ("", 0)):
        got = learnt(text, 300)
        assert len(got) == count, f"from {text!r} it learns {len(got)} pairs"


@pytest.mark.needs("count_pairs", "merge")
@kept_part
@pytest.mark.hint("`text.encode()` gives the bytes; `ord` gives numbers above 255 for many characters.")
def test_texts_are_bytes(learnt):
    """A text is its UTF-8 bytes: é is 195 and 169, so a pair already."""
    got = learnt("é€é", 257)
    assert got == {(195, 169): 256}, f"it learns {got}"


@pytest.mark.weight(3)
@pytest.mark.needs("count_pairs", "merge")
@pytest.mark.hint(
    "Look for the shortest text that goes wrong: print its bytes, the counts and the merged list, step by step."
)
def test_many_texts(learnt):
    """The right pairs are learnt from many texts, short and long, with any characters, to the size or the end."""
    for text, size in TRAINING:
        got = learnt(text, size)
        assert [*got.items()] == [*learn(text, size).items()], (
            f"from {show(text)}, with size {size}, it learns {show(got)}"
        )
        assert are_integers(got.values()), f"from {show(text)} it learns {show(got)}: ids are integers"
