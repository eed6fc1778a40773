"""``encode`` and ``decode``: texts to ids, and back."""

import pytest
from byte_pairs import PHRASE, encode

pytestmark = [
    pytest.mark.concept("encoding and decoding"),
    pytest.mark.needs("Tokenizer.__init__", "count_pairs", "merge"),
]

about_encode = pytest.mark.subject("Tokenizer.encode")
about_decode = pytest.mark.subject("Tokenizer.decode")
kept_simplest = pytest.mark.redundant_ok("the simplest case, and the first to read")
kept_part = pytest.mark.redundant_ok("says which of the two is wrong")
TEXT = "low lower lowest"


@pytest.fixture
def tokenizer(student):
    """A tokenizer that learnt four pairs: lo 256, low 257, a blank with low 258, and that with e 259."""
    return student.get("Tokenizer")(TEXT, 260)


def ids_of(got):
    """The ids that ``encode`` gives."""
    assert isinstance(got, list | tuple), "it gives no list"
    return list(got)


@about_encode
@pytest.mark.weight(2)
@pytest.mark.hint("Start from the bytes; then `merge` pair after pair.")
@kept_simplest
def test_a_text_in_pieces(tokenizer):
    """The text that was learnt from becomes few ids, and so does another with the same pieces."""
    for text, expected in ((TEXT, [257, 259, 114, 259, 115, 116]), ("slow", [115, 257]), ("lot", [256, 116])):
        got = ids_of(tokenizer.encode(text))
        assert got == expected, f"{text!r} becomes {got}"


@about_encode
@pytest.mark.hint("Merge in the order of learning: an early pair is a part of later ones.")
@kept_part
def test_the_order_of_merging(student):
    """Pairs are merged in the order in which they were learnt, where two would fit."""
    tokenizer = student.get("Tokenizer")("bcxbcybczabvabw", 258)  # bc is 256, ab is 257
    for text, expected in (("abc", [97, 256]), ("abcab", [97, 256, 257])):
        got = ids_of(tokenizer.encode(text))
        assert got == expected, f"{text!r} becomes {got}"
    tokenizer = student.get("Tokenizer")(PHRASE, 280)
    merges = {pair: tokenizer.merges[pair] for pair in tokenizer.merges}
    assert len(merges) > 3, f"from a longer text, {len(merges)} pairs are learnt"
    got = ids_of(tokenizer.encode(PHRASE))
    assert got == encode(PHRASE, merges), f"a longer text of {len(PHRASE)} characters becomes {len(got)} other ids"


@about_decode
@pytest.mark.weight(2)
@pytest.mark.hint("A new id stands for the bytes of its two parts, one after the other.")
@kept_part
def test_ids_become_text(tokenizer):
    """Bytes and pieces become the text that they stand for."""
    for ids, expected in (
        ([104, 105], "hi"),
        ([257, 259, 115, 116], "low lowest"),
        ([256], "lo"),
        ([0], "\0"),
        ([], ""),
    ):
        got = tokenizer.decode(ids)
        assert got == expected, f"{ids} becomes {got!r}" if isinstance(got, str) else f"{ids} becomes no text"


@about_encode
@pytest.mark.needs("Tokenizer.decode")
@pytest.mark.hint("What `encode` makes of a text, `decode` must turn back into it.")
def test_there_and_back(tokenizer):
    """A text that is encoded and decoded is the same text, with any characters."""
    for text in ("slower", "naïve €", "", " Slow,\n  LOWER!\n"):
        ids = ids_of(tokenizer.encode(text))
        assert len(ids) <= len(text.encode()), f"{len(text)} characters become {len(ids)} ids"
        got = tokenizer.decode(ids)
        assert got == text, f"{text!r} comes back as {got!r}" if isinstance(got, str) else "no text comes back"


@about_decode
@pytest.mark.hint('Join all bytes first, then decode them together, with errors="replace".')
def test_bytes_that_are_no_text(tokenizer):
    """Bytes that are no UTF-8 become the replacement character, and the others stay."""
    got = tokenizer.decode([104, 195, 105])
    assert got == "h\ufffdi", f"it gives {got!r}" if isinstance(got, str) else "it gives no text"
