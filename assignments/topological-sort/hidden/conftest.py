"""What the hidden tests share: graphs by name, and what a right order is."""

import pytest


class Graph:
    """Plain nodes on the student's side, by name: ``Graph(student, a="", b="", c="ab")`` is c over a and b."""

    def __init__(self, student, container, operands):
        names = list(operands)
        self.operands = {name: tuple(below) for name, below in operands.items()}
        made = student.nodes([[names.index(n) for n in below] for below in self.operands.values()], container)
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
        """A node that stands before one of its operands; None if there is none."""
        place = {name: index for index, name in reversed([*enumerate(order)])}  # the first, if it is there twice
        for name in order:
            for operand in self.operands.get(name, ()):
                if place.get(operand, -1) > place[name]:
                    return name
        return None


def _hashable(node):
    try:
        hash(node)
    except TypeError:
        return False
    return True


@pytest.fixture
def graph(student):
    """Make a graph: ``graph(a="", b="a")``, or ``graph(container="set", ...)``."""

    def make(container="tuple", **operands):
        return Graph(student, container, operands)

    return make


@pytest.fixture
def topo_of(student):
    """The student's ``build_topo`` on one root of a graph: the names in its order."""
    build_topo = student.get("build_topo")

    def run(graph, root):
        topo = student.list()
        build_topo(graph[root], student.set(), topo)
        return graph.names(list(topo))

    return run


@pytest.fixture
def backward_of(student):
    """The student's ``backward_order`` on one root of a graph: the names in its order."""
    backward_order = student.get("backward_order")

    def run(graph, root):
        order = backward_order(graph[root])
        assert not isinstance(order, str | int | float | None), "it gives back no list of nodes"
        return graph.names(list(order))

    return run
