"""Graphs by name: each node with the names of its operands, which come before it."""

SHAPES = {
    "two nodes": {"a": "", "b": "a"},
    "chain": {"a": "", "b": "a", "c": "b", "d": "c"},
    "tree": {"a": "", "b": "", "c": "", "d": "", "e": "ab", "f": "cd", "g": "ef"},
    "diamond": {"a": "", "b": "a", "c": "a", "d": "bc"},
    "handout": {"a": "", "b": "", "p": "ab", "s": "ab", "f": "ps"},
    "short and long": {"a": "", "b": "a", "c": "b", "d": "c", "e": "bd"},
    "short and very long": {"x": "", "n": "x", "p": "n", "q": "p", "r": "q", "s": "nr", "t": "sn"},
    "many users": {"x": "", "n": "x", "p": "n", "q": "pn", "r": "qn", "s": "rn", "t": "sn", "u": "tn"},
    "few and many operands": {"a": "", "b": "", "c": "ab", "d": "c", "e": "dabc", "f": "e"},
    "wide": {**dict.fromkeys("abcdefgh", ""), "r": "abcdefgh"},
    "crossed": {"a": "", "b": "", "c": "ab", "d": "ba", "e": "cd", "f": "dc", "g": "ef"},
    "far operand": {"x": "", "p": "x", "q": "p", "y": "q", "n": "xy", "m": "yx", "u": "nm", "v": "mn", "r": "uv"},
    "late user": {"x": "", "m": "x", "n": "xm", "o": "mn", "p": "no", "q": "pm", "r": "qn", "s": "ro"},
    "below a leaf's user": {"a": "", "b": "a", "x": "", "c": "b", "d": "cx"},
    "twice": {"a": "", "b": "aa"},
    "twice and twice": {"a": "", "b": "aa", "c": "bb"},
    "twice in both users": {"a": "", "b": "a", "c": "bb", "d": "cbb"},
    "twice below others": {"a": "", "b": "", "c": "aab", "d": "cca", "e": "dd", "f": "bedd"},
}
BASIC = ("chain", "diamond", "handout")
"""The graphs that show what is wrong with every graph."""
ORDERED = tuple(SHAPES)
"""The graphs that show what is wrong with the order; larger ones have the same pieces."""


def _long(count):
    """Make a chain of ``count`` nodes: a leaf beside each one, and three at its end with two users each."""
    operands, top = {"n0": ()}, "n0"
    while len(operands) < count - 9:
        index = len(operands)
        leaf, node = f"l{index}", f"n{index}"
        operands[leaf] = ()
        operands[node] = (top, leaf) if index % 4 == 1 else (leaf, top)
        top = node
    while len(operands) <= count - 3:
        index = len(operands)
        left, right, node = (f"d{index + step}" for step in range(3))
        operands |= {left: (top,), right: (top, left), node: (left, right)}
        top = node
    return operands


def _fan(count):
    """Make one node with many users, and one over all of those."""
    users = {f"u{index}": ("x",) for index in range(count)}
    return {"x": (), **users, "r": tuple(users)}


def _mixed(number, count):
    """Make a graph of no plan: each node over at most two others, most often over the one before it.

    The numbers come from a formula, and so are the same on every Python.
    """
    state = 7_919 * number

    def draw(below):
        nonlocal state
        state = (1_103_515_245 * state + 12_345) % 2**31
        return (state >> 8) % below

    operands = {"n0": ()}
    for index in range(1, count):
        before = [f"n{index - 1}"] if draw(4) or index == count - 1 else []
        other = [f"n{draw(index)}"] if draw(4) else []
        operands[f"n{index}"] = (*other, *before)
    return operands


SHAPES |= {"20 nodes": _long(20), "60 nodes": _long(60), "200 nodes": _long(200), "fan": _fan(60)}
MIXED = tuple(f"mixed {number}" for number in range(1, 13))
"""Twelve graphs of no plan, of 6 to 17 nodes."""
SHAPES |= {name: _mixed(number, number + 5) for number, name in enumerate(MIXED, start=1)}
SHAPES["ladder"] = {"n0": ()}
for _level in range(1, 17):
    SHAPES["ladder"] |= {f"m{_level}": (f"n{_level - 1}",), f"n{_level}": (f"n{_level - 1}", f"m{_level}")}
SHAPES["ladder of twins"] = {"n0": ()} | {f"n{i}": (f"n{i - 1}",) * 2 for i in range(1, 17)}
_CHAIN = {"n0": ()} | {f"n{i}": (f"n{i - 1}",) for i in range(1, 12)}
SHAPES["fan over a chain"] = {**_CHAIN, "r": tuple(_CHAIN)}
SHAPES["mixed fan over a chain"] = {**_CHAIN, "r": tuple(f"n{5 * i % 12}" for i in range(12))}
"""Levels that are set right step by step need many rounds here, the operands one way round or the other."""
SHAPES["deep"] = {"n0": ()} | {f"n{i}": (f"n{i - 1}",) for i in range(1, 201)}
