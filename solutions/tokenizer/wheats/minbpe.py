"""As in minbpe: the pieces are kept beside the merges, and encoding looks for the earliest pair that is there."""


def count_pairs(ids):
    counts = {}
    for i in range(len(ids) - 1):
        pair = (ids[i], ids[i + 1])
        if pair not in counts:
            counts[pair] = 0
        counts[pair] += 1
    return counts


def merge(ids, pair, new):
    newids = []
    i = 0
    while i < len(ids):
        if i < len(ids) - 1 and ids[i] == pair[0] and ids[i + 1] == pair[1]:
            newids.append(new)
            i += 2
        else:
            newids.append(ids[i])
            i += 1
    return newids


class Tokenizer:
    def __init__(self, text, size):
        ids = list(text.encode("utf-8"))
        self.merges = {}
        self.vocab = {i: bytes([i]) for i in range(256)}
        for i in range(size - 256):
            stats = count_pairs(ids)
            if len(stats) == 0:
                return
            pair = max(stats, key=lambda p: (stats[p], -p[0], -p[1]))
            ids = merge(ids, pair, 256 + i)
            self.merges[pair] = 256 + i
            self.vocab[256 + i] = self.vocab[pair[0]] + self.vocab[pair[1]]

    def encode(self, text):
        ids = list(text.encode("utf-8"))
        while len(ids) >= 2:
            stats = count_pairs(ids)
            pair = min(stats, key=lambda p: self.merges.get(p, float("inf")))
            if pair not in self.merges:
                break
            ids = merge(ids, pair, self.merges[pair])
        return ids

    def decode(self, ids):
        return b"".join(self.vocab[i] for i in ids).decode("utf-8", errors="replace")
