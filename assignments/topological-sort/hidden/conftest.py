"""Provide hidden tests with graphs by name, in both orders of operands, and with what the student makes of them."""

import pytest
from graph_shapes import BASIC, ORDERED, SHAPES
from sorted_graph import Basics, Graph, Sorted

from autograder.bridge import StudentError


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
        topo, visited = student.make_list(), student.make_set()
        build_topo(graph[root], visited, topo)
        return Sorted(graph, root, graph.names(list(topo)), set(graph.names(list(visited))))

    return run


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
