"""A byte-pair tokenizer: how a language model cuts text into pieces.

Text becomes bytes, and pairs of neighbours that come up often become pieces of their own, over and over.
"""

# BEGIN GIVEN
from collections.abc import Sequence
from itertools import pairwise

Pair = tuple[int, int]
# END GIVEN


def count_pairs(ids: Sequence[int]) -> dict[Pair, int]:
    """Return how often each pair of neighbours stands in `ids`: {(1, 2): 2, (2, 1): 1} for [1, 2, 1, 2].

    Pairs may overlap: in [1, 1, 1] the pair (1, 1) stands twice.
    """
    # BEGIN SOLUTION
    counts: dict[Pair, int] = {}
    for pair in pairwise(ids):
        counts[pair] = counts.get(pair, 0) + 1
    return counts
    # END SOLUTION


def merge(ids: Sequence[int], pair: Pair, new: int) -> list[int]:
    """Return a new list in which each `pair` of neighbours in `ids` has become the one id `new`.

    From left to right, and no id is used twice: with the pair (1, 1), [1, 1, 1] becomes [new, 1]. `ids` stays as
    it is.
    """
    # BEGIN SOLUTION
    merged: list[int] = []
    place = 0
    while place < len(ids):
        if tuple(ids[place : place + 2]) == tuple(pair):
            merged.append(new)
            place += 2
        else:
            merged.append(ids[place])
            place += 1
    return merged
    # END SOLUTION


class Tokenizer:
    """Learns pieces from a text, and turns texts into ids and back."""

    def __init__(self, text: str, size: int) -> None:
        """Learn `merges`, a dict from a pair to its new id, until there are `size` ids.

        The ids 0 to 255 are the bytes of UTF-8. The first pair to be learnt gets 256, the next 257, and so on: always
        the pair that is most frequent at that moment, and of several the smallest. Stop early if no pair of
        neighbours is left.
        """
        # BEGIN SOLUTION
        self.merges: dict[Pair, int] = {}
        ids = list(text.encode())
        for new in range(256, size):
            counts = count_pairs(ids)
            if not counts:
                break
            best = min(counts, key=lambda pair: (-counts[pair], pair))
            self.merges[best] = new
            ids = merge(ids, best, new)
        # END SOLUTION

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text: its bytes, with every pair merged that was learnt, in the order of learning."""
        # BEGIN SOLUTION
        ids = list(text.encode())
        for pair, new in self.merges.items():
            ids = merge(ids, pair, new)
        return ids
        # END SOLUTION

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of a list of ids; bytes that are no UTF-8 become U+FFFD (`errors="replace"`)."""
        # BEGIN SOLUTION
        pieces = {byte: bytes([byte]) for byte in range(256)}
        for (left, right), new in self.merges.items():
            pieces[new] = pieces[left] + pieces[right]
        return b"".join(pieces[one] for one in ids).decode(errors="replace")
        # END SOLUTION
