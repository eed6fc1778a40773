"""A Counter, and sorted pairs."""

from collections import Counter


def count_pairs(ids):
    return Counter(zip(ids, ids[1:]))


def merge(ids, pair, new):
    out, skip = [], False
    for one, following in zip(ids, [*ids[1:], None]):
        if skip:
            skip = False
        elif (one, following) == tuple(pair):
            out.append(new)
            skip = True
        else:
            out.append(one)
    return out


class Tokenizer:
    def __init__(self, text, size):
        ids, self.merges = [*text.encode("utf-8")], {}
        while 256 + len(self.merges) < size and (counts := count_pairs(ids)):
            most = max(counts.values())
            pair = sorted(one for one, count in counts.items() if count == most)[0]
            self.merges[pair] = 256 + len(self.merges)
            ids = merge(ids, pair, self.merges[pair])

    def encode(self, text):
        ids = [*text.encode("utf-8")]
        for pair in self.merges:
            ids = merge(ids, pair, self.merges[pair])
        return ids

    def decode(self, ids):
        return b"".join(map(self._bytes, ids)).decode("utf-8", "replace")

    def _bytes(self, one):
        if one < 256:
            return bytes([one])
        left, right = next(pair for pair, new in self.merges.items() if new == one)
        return self._bytes(left) + self._bytes(right)
