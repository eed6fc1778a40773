"""List slices on a copy."""


def count_pairs(ids):
    pairs = [(ids[i], ids[i + 1]) for i in range(len(ids) - 1)]
    return {pair: pairs.count(pair) for pair in pairs}


def merge(ids, pair, new):
    ids = list(ids)
    i = 0
    while i < len(ids) - 1:
        if (ids[i], ids[i + 1]) == tuple(pair):
            ids[i : i + 2] = [new]
        i += 1
    return ids


class Tokenizer:
    def __init__(self, text, size):
        self.merges = {}
        ids = list(bytes(text, "utf-8"))
        next_id = 256
        while next_id < size and len(ids) > 1:
            counts = count_pairs(ids)
            highest = max(counts.values())
            pair = min(p for p in counts if counts[p] == highest)
            ids = merge(ids, pair, next_id)
            self.merges[pair] = next_id
            next_id += 1

    def encode(self, text):
        ids = list(bytes(text, "utf-8"))
        for pair in sorted(self.merges, key=self.merges.get):
            ids = merge(ids, pair, self.merges[pair])
        return ids

    def decode(self, ids):
        ids = list(ids)
        for (left, right), new in reversed(list(self.merges.items())):
            while new in ids:
                i = ids.index(new)
                ids[i : i + 1] = [left, right]
        return str(bytes(ids), "utf-8", "replace")
