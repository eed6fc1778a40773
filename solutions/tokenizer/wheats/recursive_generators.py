"""Generators, a recursive merge, and byte strings that grow."""

from collections import defaultdict


def count_pairs(ids):
    counts = defaultdict(int)
    previous = None
    for one in ids:
        if previous is not None:
            counts[previous, one] += 1
        previous = one
    return dict(counts)


def merge(ids, pair, new):
    def walk():
        rest = iter(ids)
        held = next(rest, None)
        while held is not None:
            following = next(rest, None)
            if (held, following) == (pair[0], pair[1]):
                yield new
                held = next(rest, None)
            else:
                yield held
                held = following

    return list(walk())


class Tokenizer:
    def __init__(self, text, size):
        self.merges = dict(self._learn(bytearray(text, "utf-8"), size))

    @staticmethod
    def _learn(ids, size):
        for new in range(256, size):
            counts = count_pairs(ids)
            if counts:
                pair = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[0][0]
                yield pair, new
                ids = merge(ids, pair, new)

    def encode(self, text):
        ids = text.encode()
        for pair, new in self.merges.items():
            ids = merge(ids, pair, new)
        return list(ids)

    def decode(self, ids):
        parts = {new: pair for pair, new in self.merges.items()}
        waiting, found = list(reversed(list(ids))), bytearray()
        while waiting:
            one = waiting.pop()
            if one in parts:
                left, right = parts[one]
                waiting += [right, left]
            else:
                found.append(one)
        return found.decode("utf-8", "replace")
