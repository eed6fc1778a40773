"""A byte-pair tokenizer: how a language model cuts text into pieces.

Text becomes bytes, and pairs of neighbours that come up often become pieces of their own, over and over.
"""

# BEGIN GIVEN: yours to use as it is. The grader brings its own copy, so changes here have no effect.
from collections.abc import Sequence
from itertools import pairwise

Pair = tuple[int, int]
# END GIVEN


def count_pairs(ids: Sequence[int]) -> dict[Pair, int]:
    """Return how often each pair of neighbours stands in `ids`: {(1, 2): 2, (2, 1): 1} for [1, 2, 1, 2].

    Pairs may overlap: in [1, 1, 1] the pair (1, 1) stands twice.
    """
    raise NotImplementedError("count_pairs is not written yet")


def merge(ids: Sequence[int], pair: Pair, new: int) -> list[int]:
    """Return a new list in which each `pair` of neighbours in `ids` has become the one id `new`.

    From left to right, and no id is used twice: with the pair (1, 1), [1, 1, 1] becomes [new, 1]. `ids` stays as
    it is.
    """
    raise NotImplementedError("merge is not written yet")


class Tokenizer:
    """Learns pieces from a text, and turns texts into ids and back."""

    def __init__(self, text: str, size: int) -> None:
        """Learn `merges`, a dict from a pair to its new id, until there are `size` ids.

        The ids 0 to 255 are the bytes of UTF-8. The first pair to be learnt gets 256, the next 257, and so on: always
        the pair that is most frequent at that moment, and of several the smallest. Stop early if no pair of
        neighbours is left.
        """
        raise NotImplementedError("__init__ is not written yet")

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text: its bytes, with every pair merged that was learnt, in the order of learning."""
        raise NotImplementedError("encode is not written yet")

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of a list of ids; bytes that are no UTF-8 become U+FFFD (`errors="replace"`)."""
        raise NotImplementedError("decode is not written yet")
