"""What the hidden tests share: graphs by name, in both orders of operands, and what may be wrong with a list."""

from typing import NamedTuple

import pytest

from autograder.bridge import StudentError

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
    """A chain with a leaf beside each node, and three nodes at its end that have two users each: ``count`` in all."""
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
    """One node with many users, and one over all of those."""
    users = {f"u{index}": ("x",) for index in range(count)}
    return {"x": (), **users, "r": tuple(users)}


SHAPES |= {"20 nodes": _long(20), "60 nodes": _long(60), "200 nodes": _long(200), "fan": _fan(60)}
SHAPES["deep"] = {"n0": ()} | {f"n{i}": (f"n{i - 1}",) for i in range(1, 201)}


class Graph:
    """Plain nodes on the student's side, by name: ``Graph(student, "tuple", {"a": "", "b": "a"})`` is b over a."""

    def __init__(self, student, container, operands):
        names = list(operands)
        place = {name: index for index, name in enumerate(names)}
        self.operands = {name: tuple(below) for name, below in operands.items()}
        made = student.nodes([[place[name] for name in below] for below in self.operands.values()], container)
        self.root = names[-1]
        self.nodes = dict(zip(names, made, strict=True))
        self._names = {node: name for name, node in self.nodes.items()}
        self._student = student

    def __getitem__(self, name):
        return self.nodes[name]

    def names(self, nodes):
        """The names of nodes, in their order; something that is no node of this graph is a question mark."""
        return [self._names.get(node, "?") if _hashable(node) else "?" for node in nodes]

    def reachable(self, root):
        """Names of all nodes below ``root``, itself included."""
        found, waiting = set(), [root]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.operands[name]
        return found

    def watch(self, most):
        """Count how often the nodes' operands are gone through, and stop whoever goes beyond ``most``."""
        return self._student.watch(self.nodes.values(), "_prev", most)

    def too_early(self, order):
        """Whether a node stands before one of its operands; what is not in the list is in nobody's way."""
        place = {name: index for index, name in reversed([*enumerate(order)])}  # the first, if it is there twice
        return any(place.get(operand, -1) > place[name] for name in place for operand in self.operands.get(name, ()))


def _hashable(node):
    try:
        hash(node)
    except TypeError:
        return False
    return True


class Sorted(NamedTuple):
    """What a sort has made of one root of a graph, by the names of the nodes."""

    graph: Graph
    root: str
    order: list
    visited: set

    @property
    def wanted(self):
        """What must be in the list."""
        return self.graph.reachable(self.root)

    @property
    def missing(self):
        """How many nodes are not in the list."""
        return len(self.wanted - set(self.order))

    @property
    def not_reached(self):
        """The nodes that the sort did not come to: they are neither in the list nor in ``visited``."""
        return self.wanted - set(self.order) - self.visited

    @property
    def leaves(self):
        """The nodes without operands."""
        return {name for name in self.wanted if not self.graph.operands[name]}

    @property
    def repeated(self):
        """How many entries of the list are there already."""
        return len(self.order) - len(set(self.order))

    @property
    def strange(self):
        """How many entries of the list do not belong there."""
        return sum(name not in self.wanted for name in self.order)

    @property
    def disordered(self):
        """Whether a node stands before one of its operands."""
        return self.graph.too_early(self.order)

    @property
    def faults(self):
        """The kinds of what is wrong with the list."""
        kinds = {"missing": self.missing, "repeated": self.repeated, "order": self.disordered}
        return {kind for kind, wrong in kinds.items() if wrong}


@pytest.fixture
def graph(student):
    """Make a graph: ``graph(a="", b="a")``, or ``graph(container="set", ...)``."""

    def make(container="tuple", **operands):
        return Graph(student, container, operands)

    return make


@pytest.fixture
def both(student):
    """Graphs of some shapes, each with the operands of every node in both orders.

    Which operand a sort goes into first is its own business, so no mistake may cost more for going left first.
    """

    def make(*shapes, container="tuple"):
        for shape in shapes:
            yield Graph(student, container, SHAPES[shape])
            yield Graph(student, container, {name: below[::-1] for name, below in SHAPES[shape].items()})

    return make


@pytest.fixture
def topo_of(student):
    """What the student's ``build_topo`` makes of a graph, from its last node or another root."""
    build_topo = student.get("build_topo")

    def run(graph, root=""):
        root = root or graph.root
        topo, visited = student.list(), student.set()
        build_topo(graph[root], visited, topo)
        return Sorted(graph, root, graph.names(list(topo)), set(graph.names(list(visited))))

    return run


class Basics(NamedTuple):
    """What is wrong with every graph: it costs marks where it is tested, and not again elsewhere."""

    faults: set = frozenset()
    no_leaves: bool = False
    no_root: bool = False

    def not_reached(self, one):
        """The nodes that the sort of one graph did not come to, but for those that it leaves out of every graph."""
        leaves = one.leaves if self.no_leaves else set()
        return one.not_reached - leaves - ({one.root} if self.no_root else set())


@pytest.fixture
def basics(both, topo_of):
    """Find out what is wrong with every graph."""

    def find():
        try:
            made = [topo_of(graph) for graph in both(*BASIC)]
            ordered = [topo_of(graph) for graph in both(*ORDERED)]
        except StudentError:
            return Basics()
        faults = {fault for one in made for fault in one.faults if fault != "order"}
        faults |= {"order" for one in ordered if one.disordered}
        no_leaves = all(one.leaves <= one.not_reached for one in made)
        return Basics(faults, no_leaves, all(one.root in one.not_reached for one in made))

    return find


@pytest.fixture
def backward_of(student):
    """The student's ``backward_order`` on a graph, from its last node or another root: the names in its order."""
    backward_order = student.get("backward_order")

    def run(graph, root=""):
        order = backward_order(graph[root or graph.root])
        assert not isinstance(order, str | int | float | None), "it gives back no list of nodes"
        return graph.names(list(order))

    return run
