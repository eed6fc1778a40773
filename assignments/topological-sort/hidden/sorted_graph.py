"""Describe a graph of plain nodes on the student's side, and what may be wrong with a list of its nodes."""

from typing import NamedTuple

from autograder.bridge import StudentError

MOST_LOOKS = 20_000
"""Even a sort that compares all nodes with all others stays far below; one that follows every path does not."""


class Graph:
    """Plain nodes on the student's side, by name: ``Graph(student, "tuple", {"a": "", "b": "a"})`` is b over a."""

    def __init__(self, student, container, operands):
        names = list(operands)
        place = {name: index for index, name in enumerate(names)}
        self.operands = {name: tuple(below) for name, below in operands.items()}
        made = student.make_plain_nodes(
            [[place[name] for name in below] for below in self.operands.values()], container
        )
        self.root = names[-1]
        self.nodes = dict(zip(names, made, strict=True))
        self._names = {node: name for name, node in self.nodes.items()}
        self._student = student

    def __getitem__(self, name):
        return self.nodes[name]

    def names(self, nodes):
        """Return the names of nodes, in their order; something that is no node of this graph is a question mark."""
        return [self._names.get(node, "?") if _hashable(node) else "?" for node in nodes]

    def reachable(self, root, around=()):
        """Return names of all nodes that ways from ``root`` around some others lead to, ``root`` included."""
        found, waiting = set(around), [root]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.operands[name]
        return found - set(around)

    def count_iterations(self, max_count):
        """Count how often the nodes' operands are gone through, and stop whoever goes beyond ``max_count``."""
        return self._student.count_iterations(self.nodes.values(), "_prev", max_count)

    def too_early(self, order):
        """Return whether a node stands before one of its operands; what is not in the list is in nobody's way."""
        place = {name: index for index, name in reversed([*enumerate(order)])}  # the first, if it is there twice
        return any(place.get(operand, -1) > place[name] for name in place for operand in self.operands.get(name, ()))


def _hashable(node):
    try:
        hash(node)
    except TypeError:
        return False
    return True


def count_looks(graph, sort):
    """Return how often a sort goes through operands, which is stopped beyond ``MOST_LOOKS``, and what it gives."""
    looks = graph.count_iterations(MOST_LOOKS)
    try:
        made = sort(graph)
    except StudentError:
        if looks.count <= MOST_LOOKS:
            raise
        made = None
    return looks.count, made


class Sorted(NamedTuple):
    """What a sort has made of one root of a graph, by the names of the nodes."""

    graph: Graph
    root: str
    order: list
    visited: set

    @property
    def wanted(self):
        """Return what must be in the list."""
        return self.graph.reachable(self.root)

    @property
    def missing(self):
        """Return how many nodes are not in the list."""
        return len(self.wanted - set(self.order))

    @property
    def not_reached(self):
        """Return the nodes that the sort did not come to: they are neither in the list nor in ``visited``."""
        return self.wanted - set(self.order) - self.visited

    @property
    def leaves(self):
        """Return the nodes without operands."""
        return {name for name in self.wanted if not self.graph.operands[name]}

    @property
    def repeated(self):
        """Return how many entries of the list are there already."""
        return len(self.order) - len(set(self.order))

    @property
    def strange(self):
        """Return how many entries of the list do not belong there."""
        return sum(name not in self.wanted for name in self.order)

    @property
    def disordered(self):
        """Return whether a node stands before one of its operands."""
        return self.graph.too_early(self.order)

    @property
    def faults(self):
        """Return the kinds of what is wrong with the list."""
        kinds = {"missing": self.missing, "repeated": self.repeated, "order": self.disordered}
        return {kind for kind, wrong in kinds.items() if wrong}


class Basics(NamedTuple):
    """What is wrong with every graph: it costs marks where it is tested, and not again elsewhere."""

    faults: set = frozenset()
    no_leaves: bool = False
    no_root: bool = False

    def not_reached(self, one):
        """Return the nodes that the sort of one graph missed, but for those that it leaves out of every graph."""
        leaves = one.leaves if self.no_leaves else set()
        return one.not_reached - leaves - ({one.root} if self.no_root else set())
