"""First: build_topo, every node once and operands before the nodes that use them. Any such order is right."""

from value import build_topo


class Node:
    """A node with a name for the messages; `_prev` holds its operands."""

    def __init__(self, name, _prev=()):
        self.name = name
        self._prev = _prev

    def __repr__(self):
        return self.name


def check(topo, nodes):
    """Fail unless `topo` has each of `nodes` once, and nothing else, operands before users."""
    for node in nodes:
        times = sum(entry is node for entry in topo)
        assert times == 1, f"{node} is in topo {times} times, expected once. topo: {topo}"
    assert len(topo) == len(nodes), f"topo has {len(topo)} entries, expected {len(nodes)}. topo: {topo}"
    place = {node: i for i, node in enumerate(topo)}
    for node in nodes:
        for operand in node._prev:
            assert place[operand] < place[node], f"{node} uses {operand}, so {operand} must come first. topo: {topo}"


def test_a_chain():
    """In a chain the order starts with the leaf and ends with the root."""
    a = Node("a")
    b = Node("b", [a])
    c = Node("c", [b])
    topo = []
    build_topo(c, set(), topo)
    check(topo, [a, b, c])


def test_every_operand_is_followed():
    """In a tree every branch is walked down to its leaves, however many operands a node has."""
    a, b, c, d = Node("a"), Node("b"), Node("c"), Node("d")
    left, right = Node("left", [a, b]), Node("right", [c])
    root = Node("root", [left, d, right])
    topo = []
    build_topo(root, set(), topo)
    check(topo, [a, b, c, d, left, right, root])


def test_a_diamond():
    """A node with two users appears once, before both."""
    x = Node("x")
    u, v = Node("u", [x]), Node("v", [x])
    y = Node("y", [u, v])
    topo = []
    build_topo(y, set(), topo)
    check(topo, [x, u, v, y])


def test_a_shortcut():
    """When y uses n directly and through m, n still comes before m, whichever y names first."""
    for names in ("y = n, m", "y = m, n"):
        n = Node("n")
        m = Node("m", [n])
        y = Node("y", [n, m] if names == "y = n, m" else [m, n])
        topo = []
        build_topo(y, set(), topo)
        check(topo, [n, m, y])


def test_a_node_used_twice_by_the_same_operation():
    """In b = a + a the node a is an operand twice and appears once."""
    a = Node("a")
    b = Node("b", [a, a])
    topo = []
    build_topo(b, set(), topo)
    check(topo, [a, b])


def test_operands_may_come_in_a_set_or_a_tuple():
    """_prev may be a list, a tuple, a set or a frozenset."""
    for kind in (list, tuple, set, frozenset):
        a, b = Node("a"), Node("b")
        c = Node("c", kind([a, b]))
        topo = []
        build_topo(c, set(), topo)
        check(topo, [a, b, c])


def test_visited_nodes_are_skipped():
    """A node that is in `visited` already is left out; the nodes appended are added to `visited`."""
    a, b = Node("a"), Node("b")
    c = Node("c", [a, b])
    visited, topo = {a}, []
    build_topo(c, visited, topo)
    assert a not in topo, f"a was in visited before the call, so it must not be appended. topo: {topo}"
    assert topo == [b, c], f"topo is {topo}, expected [b, c]."
    assert visited == {a, b, c}, f"visited is {visited} after the call, expected the nodes a, b and c."
