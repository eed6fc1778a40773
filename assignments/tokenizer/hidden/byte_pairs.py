"""Compute with byte pairs in the tests' own process: what right programs give for the inputs of ``many_inputs``."""

from collections import Counter
from itertools import pairwise

MOST_SHOWN = 90


def merge(ids, pair, new):
    """Return the ids with each occurrence of the pair as one."""
    merged = []
    for one in ids:
        if merged and (merged[-1], one) == pair:
            merged[-1:] = [new, None]  # what stands before None is used up
        else:
            merged.append(one)
    return [one for one in merged if one is not None]


def learn(text, size):
    """Return the pairs that are learnt from a text, with their ids."""
    merges, ids = {}, list(text.encode())
    while len(ids) > 1 and 256 + len(merges) < size:
        counts = Counter(pairwise(ids))
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        merges[best] = 256 + len(merges)
        ids = merge(ids, best, merges[best])
    return merges


def encode(text, merges):
    """Return the ids of a text."""
    ids = list(text.encode())
    for pair, new in merges.items():
        ids = merge(ids, pair, new)
    return ids


def decode(ids, merges):
    """Return the text of ids."""
    pieces = {byte: bytes([byte]) for byte in range(256)}
    for (left, right), new in merges.items():
        pieces[new] = pieces[left] + pieces[right]
    return b"".join(pieces[one] for one in ids).decode(errors="replace")


def read_dict(got):
    """Return what a student's dict holds, be it a Counter or another kind of dict.

    A pair may be a named tuple, which arrives as a stand-in.
    """
    assert hasattr(got, "items"), "it gives no dict"
    pairs = got if isinstance(got, dict) else dict(got.items())
    return {tuple(pair) if hasattr(pair, "_fields") else pair: pairs[pair] for pair in pairs}


def read_merges(tokenizer):
    """Return a tokenizer's ``merges``, whose pairs are of bytes and of ids that stand before them.

    Where the ids say in which order the pairs were learnt, they are in that order, whatever the order of the dict: a
    dict in another order costs marks where learning is tested.
    """
    merges, known = read_dict(tokenizer.merges), set(range(256))
    if are_integers(merges.values()) and {*merges.values()} == {*range(256, 256 + len(merges))}:
        merges = dict(sorted(merges.items(), key=lambda item: item[1]))
    for pair, new in merges.items():
        is_pair = isinstance(pair, tuple) and len(pair) == 2 and known.issuperset(pair)
        assert is_pair, f"`merges` has {show(pair)}, which is no pair of ids"
        known.add(new)
    return merges


def read_ids(got):
    """Return the ids in a list of a student's, or in something like it."""
    assert isinstance(got, list | tuple) or hasattr(got, "append"), "it gives no list"
    return list(got)


def require_list(student, got):
    """Fail unless a student's function gave a list, which may be of a subclass."""
    kind = student.get_class_name(got)
    is_list = kind not in ("array", "bytearray", "deque") and hasattr(got, "append")
    assert is_list, f"it gives no list, but something of the type {kind}"


def are_integers(ids):
    """Return whether all are integers, as ids are: 256.0 is equal to 256 and no id."""
    return all(isinstance(one, int) for one in ids)


def show(value):
    """Return the ``repr`` of a value, or its beginning if it is long."""
    text = repr(value)
    if len(text) <= MOST_SHOWN:
        return text
    size = f" ({len(value)} items)" if isinstance(value, list | dict) else ""
    return f"{text[:MOST_SHOWN]}...{size}"
