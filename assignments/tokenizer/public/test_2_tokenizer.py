"""Second: learning pieces, and using them."""

from value import Tokenizer

TEXT = "low lower lowest"


def test_pieces_are_learnt():
    """From the text of the handout, four pieces are learnt: lo, low, a blank with low, and that with e."""
    got = dict(Tokenizer(TEXT, 260).merges)
    expected = {(108, 111): 256, (256, 119): 257, (32, 257): 258, (258, 101): 259}
    assert got == expected, f"merges is {got}, expected {expected}."


def test_a_text_becomes_pieces():
    """The text of the handout becomes six ids."""
    got = list(Tokenizer(TEXT, 260).encode(TEXT))
    assert got == [257, 259, 114, 259, 115, 116], f"encode gave {got}, expected [257, 259, 114, 259, 115, 116]."


def test_there_and_back():
    """What is encoded and decoded is the same text."""
    tokenizer = Tokenizer(TEXT, 260)
    for text in ("slower", "naïve"):
        got = tokenizer.decode(tokenizer.encode(text))
        assert got == text, f"{text!r} came back as {got!r}."
