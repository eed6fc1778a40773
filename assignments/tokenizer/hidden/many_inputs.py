"""Many inputs, the smallest first: every short one, and longer ones from a generator that always gives the same."""

from itertools import product
from random import Random

_choose = Random(2016).choices


def _make_lists(alphabet, lengths):
    return [_choose(alphabet, k=length) for length in lengths]


def _make_texts(alphabet, lengths):
    return ["".join(letters) for letters in _make_lists(alphabet, lengths)]


SHORT_LISTS = [list(ids) for length in range(5) for ids in product([0, 1, 300], repeat=length)]
LONG_LIST = [*([1, 2] * 300), *([0] * 301), *_make_lists(range(1400), [399])[0]]
ID_LISTS = [
    *SHORT_LISTS,
    *_make_lists([0, 1], range(5, 15)),
    *_make_lists([1, 2, 12, 21], range(5, 15)),
    *_make_lists([10, 40, 42, 46, 91, 94], range(5, 12)),
    *_make_lists([255, 256, 257, 511, 999], range(5, 12)),
    LONG_LIST,
]
"""Lists of ids: few different ones, so that pairs come up often; with 0, with ids above 255, and one of 1300 ids."""


def _list_merges():
    pairs = [(0, 1), (1, 0), (1, 1), (0, 0), (300, 1), (300, 300)]
    for ids in SHORT_LISTS:
        for pair in pairs if len(ids) > 2 else pairs[:3]:
            if len(ids) < 4 or (pair[0] in ids and pair[1] in ids):
                yield ids, pair, 9
    for ids in ID_LISTS[len(SHORT_LISTS) :]:
        places = range(0, len(ids) - 1, 1 + len(ids) // 4)
        for pair in sorted({(ids[place], ids[place + 1]) for place in places}):
            yield ids, pair, 1500


MERGES = [*_list_merges()]
"""Lists of ids with a pair to merge and its new id."""

PHRASE = " Slow snow shows how low\nthe Low snowman's show goes:\r\n\tnaïvely slow, cafe\u0301-slow, no? 👍🏽\n\n"
"""A text with capitals, line ends, blanks around it, and characters of two to four bytes."""
ODD_TEXTS = ["\0a", "\ufeffa", "a\r\nb", "e\u0301", "ﬁ", "\n\n", " a ", "\x85b", "€", "👍🏽", "ß"]
SHORT_TEXTS = ["".join(letters) for length in range(6) for letters in product("ab", repeat=length)]
TRAINING = [
    *((text, 300) for text in [*SHORT_TEXTS, *ODD_TEXTS[1:]]),
    *((text, 258) for text in _make_texts("ab", range(6, 20, 2))),
    *((text, 263) for text in _make_texts("ab", range(20, 60, 4))),
    *((text, 300) for text in _make_texts("ab", range(7, 30, 3))),
    *((text, 300) for text in _make_texts("abc", range(6, 30, 3))),
    *((text, 262) for text in _make_texts(" a\n", range(6, 30, 3))),
    *((text, 270) for text in _make_texts("zcé€", range(4, 24, 3))),
    *((text, 300) for text in _make_texts("dcba zyx", range(10, 40, 5))),
    ("a" * 23, 300),
    (PHRASE, 400),
]
"""Texts to learn from, with the number of ids."""

TOKENIZERS = [
    ("abababcabcbcbcaab", 266, "abc"),
    ("aaaaaaaaaaab", 262, "ab"),
    ("é€é€ée", 262, "é€e"),
    (PHRASE, 320, " slown\ngh"),
    ("low lower lowest", 256, "low "),
]
"""Texts to learn from, with the number of ids, and letters of texts to encode."""


def list_texts(text, letters):
    """Return texts to encode, the shortest first, for a tokenizer that learnt from a text."""
    parts = [text[start : start + length] for length in (5, 12) for start in range(0, len(text), 9)]
    made = _made_texts[letters]
    return sorted([*letters, *ODD_TEXTS, *made, *parts, text, text + text[::-1], "", "xyz"], key=len)


_made_texts = {letters: _make_texts(letters, [2, 2, 3, 3, 3, 4, 4, 5, 6, 8, 12, 20]) for _, _, letters in TOKENIZERS}
ODD_BYTES = [
    *(
        b"",
        b"\0",
        b"\x80",
        b"\xc3",
        b"a\0",
        b"\xc3(",
        b"\xc3\xa9",
        b"\xe2\x82",
        b" a\n",
        b"\x80\x81a",
        b"\xed\xa0\x80",
    ),
    *(b"\xf0\x9f\x91", b"a\r\nb", b"a\xff\xfeb", b"\xef\xbb\xbfa", b"\xe2\x82\xac\xe2\x82"),
]
"""Bytes that are odd as a text, many of them no UTF-8."""


def list_id_lists(new_ids):
    """Return lists of ids to decode, the shortest first."""
    longer = [[new, byte] for new, byte in zip(new_ids, _made_bytes, strict=False)]
    together = [[first, second] for first, second in zip(new_ids, reversed(new_ids), strict=True)]
    alone = [[new] for new in new_ids]
    return sorted([*map(list, ODD_BYTES), *alone, *longer, *together, [*new_ids, *_made_bytes]], key=len)


_made_bytes = _make_lists([97, 169, 195, 226, 130, 172, 32, 240], [60])[0]
