"""``encode`` and ``decode``: texts to ids, and back."""

import pytest
from byte_pairs import are_integers, decode, encode, read_ids, read_merges, require_list, show
from many_inputs import TOKENIZERS, list_id_lists, list_texts

pytestmark = [
    pytest.mark.concept("encoding and decoding"),
    pytest.mark.needs("Tokenizer.__init__", "count_pairs", "merge"),
]

about_encode = pytest.mark.subject("Tokenizer.encode")
about_decode = pytest.mark.subject("Tokenizer.decode")
kept_simplest = pytest.mark.redundant_ok("the simplest case, and the first to read")
kept_part = pytest.mark.redundant_ok("says what is wrong: many texts and ids fail as well")
TEXT = "low lower lowest"


@pytest.fixture
def tokenizer(student):
    """A tokenizer that learnt four pairs: lo 256, low 257, a blank with low 258, and that with e 259."""
    return student.get("Tokenizer")(TEXT, 260)


@pytest.fixture
def learn(student):
    """``learn("abab", 257)``: a tokenizer, and its pairs with their ids."""
    make = student.get("Tokenizer")

    def run(text, size):
        tokenizer = make(text, size)
        merges = read_merges(tokenizer)
        assert merges or size == 256, f"nothing is learnt from {show(text)}"
        return tokenizer, merges

    return run


@about_encode
@pytest.mark.weight(2)
@pytest.mark.hint("Start from the bytes; then `merge` pair after pair.")
@kept_simplest
def test_a_text_in_pieces(tokenizer):
    """The text that was learnt from becomes few ids, and so does another with the same pieces."""
    for text, expected in ((TEXT, [257, 259, 114, 259, 115, 116]), ("slow", [115, 257]), ("lot", [256, 116])):
        got = read_ids(tokenizer.encode(text))
        assert got == expected, f"{text!r} becomes {got}"


@about_encode
@pytest.mark.hint("Merge in the order of learning: an early pair is a part of later ones.")
@kept_part
def test_the_order_of_merging(student):
    """Pairs are merged in the order in which they were learnt, where two would fit."""
    tokenizer = student.get("Tokenizer")("bcxbcybczabvabw", 258)  # bc is 256, ab is 257
    for text, expected in (("abc", [97, 256]), ("abcab", [97, 256, 257])):
        got = read_ids(tokenizer.encode(text))
        assert got == expected, f"{text!r} becomes {got}"


@about_decode
@pytest.mark.weight(2)
@pytest.mark.hint("A new id stands for the bytes of its two parts, one after the other.")
@kept_part
def test_ids_become_text(tokenizer):
    """Bytes and pieces become the text that they stand for."""
    for ids, expected in (([104, 105], "hi"), ([257, 259, 115, 116], "low lowest"), ([256], "lo"), ([], "")):
        got = tokenizer.decode(ids)
        assert got == expected, f"{ids} becomes {got!r}" if isinstance(got, str) else f"{ids} becomes no text"


@about_encode
@pytest.mark.needs("Tokenizer.decode")
@kept_part
@pytest.mark.hint("What `encode` makes of a text, `decode` must turn back into it.")
def test_there_and_back(tokenizer):
    """A text that is encoded and decoded is the same text, with any characters."""
    for text in ("slower", "naïve €", "", " Slow,\r\n  LOWER!\n", "\ufefflow\0"):
        ids = read_ids(tokenizer.encode(text))
        assert len(ids) <= len(text.encode()), f"{len(text)} characters become {len(ids)} ids"
        got = tokenizer.decode(ids)
        assert got == text, f"{text!r} comes back as {got!r}" if isinstance(got, str) else "no text comes back"


@about_decode
@kept_part
@pytest.mark.hint('Join all bytes first, then decode them together, with errors="replace".')
def test_bytes_that_are_no_text(tokenizer):
    """Bytes that are no UTF-8 become the replacement character, and the others stay."""
    got = tokenizer.decode([104, 195, 105])
    assert got == "h\ufffdi", f"it gives {got!r}" if isinstance(got, str) else "it gives no text"


@about_encode
@pytest.mark.weight(3)
@pytest.mark.hint(
    "Look for the shortest text that goes wrong: the bytes first, then pair after pair, in the order of `merges`."
)
def test_many_texts_are_encoded(student, learn):
    """Many texts become the right ids, in a list: short and long, with any characters and all that was learnt."""
    for learnt, size, letters in TOKENIZERS:
        tokenizer, merges = learn(learnt, size)
        for text in list_texts(learnt, letters):
            got = tokenizer.encode(text)
            require_list(student, got)
            ids = list(got)
            found = f"after Tokenizer({show(learnt)}, {size}), {show(text)} becomes {show(ids)}"
            assert ids == encode(text, merges), found
            assert are_integers(ids), f"{found}: ids are integers"


@about_decode
@pytest.mark.weight(3)
@pytest.mark.hint('Join the bytes of all ids first, and then let Python decode them with errors="replace".')
def test_many_ids_are_decoded(learn):
    """Many lists of ids become the right texts, with all pieces that were learnt, and with bytes that are no text."""
    for learnt, size, _ in TOKENIZERS:
        tokenizer, merges = learn(learnt, size)
        for ids in list_id_lists([*merges.values()]):
            got = tokenizer.decode(ids)
            found = f"after Tokenizer({show(learnt)}, {size}), {show(ids)} becomes {show(got)}"
            assert got == decode(ids, merges), found


@about_encode
@pytest.mark.weight(2)
@pytest.mark.needs("Tokenizer.decode")
@pytest.mark.hint(
    "What one tokenizer knows belongs to `self`: not to the class, and not to a variable outside of it."
)
def test_two_tokenizers(learn):
    """Two tokenizers, made from two texts, do not disturb each other."""
    both = [(text, *learn(text, 260)) for text in (TEXT, "wer west were")]
    for text, tokenizer, merges in both:
        now = read_merges(tokenizer)
        assert now == merges, f"with a second tokenizer, `merges` of the one from {text!r} becomes {now}"
        got = read_ids(tokenizer.encode("lower west"))
        assert got == encode("lower west", merges), f"with two, that from {text!r} makes {got} of 'lower west'"
        ids = [*merges.values()]
        got = tokenizer.decode(ids)
        assert got == decode(ids, merges), f"with two, that from {text!r} decodes {ids} to {show(got)}"


@about_decode
@pytest.mark.hint("Go through the ids with `for`; `pop` and `del` take them out of the list.")
def test_decoding_leaves_the_list(student, tokenizer):
    """The list of ids that is decoded stays as it is."""
    ids = student.make_list(104, 105, 256)
    got = tokenizer.decode(ids)
    assert got == "hilo", f"it gives {show(got)}"
    assert list(ids) == [104, 105, 256], f"afterwards, the list that was passed holds {list(ids)}"
