"""Compute with byte pairs, for texts that are too long to do it by hand."""

from collections import Counter
from itertools import pairwise

PHRASE = " Slow snow shows how low\nthe Low snowman's show goes: naïvely slow, no?\n"
"""A text with capitals, line ends and blanks around it, long enough for 24 pairs."""


def merge(ids, pair, new):
    """Return the ids with each occurrence of the pair as one."""
    merged = []
    waiting = iter([*ids, None])
    left = next(waiting)
    for right in waiting:
        if (left, right) == pair:
            merged.append(new)
            left = next(waiting)
        else:
            merged.append(left)
            left = right
        if left is None:
            break
    return merged


def find_rarer_pair(text, pairs):
    """Return the number of the first learnt pair that is not a most frequent one when it is learnt; 0 if all are."""
    ids = list(text.encode())
    for number, pair in enumerate(pairs, 1):
        counts = Counter(pairwise(ids))
        if counts[pair] < max(counts.values(), default=1):
            return number
        ids = merge(ids, pair, 255 + number)
    return 0


def encode(text, merges):
    """Return the ids of a text."""
    ids = list(text.encode())
    for pair, new in merges.items():
        ids = merge(ids, pair, new)
    return ids
