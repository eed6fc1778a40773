"""``build_topo``: any graph, any container in ``_prev``."""

import pytest

pytestmark = [pytest.mark.concept("any graph shape"), pytest.mark.about("build_topo")]

kept_shapes = pytest.mark.kept("a shape of its own: who follows the order of a set passes some shapes by chance")
kept_sides = pytest.mark.kept("says which operand or which operation it is")

SHAPES = {
    "wide": {**dict.fromkeys("abcdefgh", ""), "r": "abcdefgh"},
    "crossed": {"a": "", "b": "", "c": "ab", "d": "ba", "e": "cd", "f": "dc", "g": "ef"},
    "far operand": {"x": "", "p": "x", "q": "p", "y": "q", "n": "xy", "m": "yx", "u": "nm", "v": "mn", "r": "uv"},
    "late user": {"x": "", "m": "x", "n": "xm", "o": "mn", "p": "no", "q": "pm", "r": "qn", "s": "ro"},
}


def check(topo_of, graph, root):
    """A right order of all nodes below the root, each once."""
    order = topo_of(graph, root)
    assert len(order) == len(set(order)), "a node stands there more than once"
    assert set(order) == graph.reachable(root), f"{len(set(order))} of {len(graph.reachable(root))} nodes are there"
    assert graph.too_early(order) is None, "a node stands before one of its operands"


@pytest.mark.hint("Go through all of `_prev`, not just the first one or two.")
@kept_shapes
def test_many_operands(topo_of, graph):
    """A node may have any number of operands."""
    check(topo_of, graph(**SHAPES["wide"]), "r")


@pytest.mark.hint("Append a node after all its operands, however they are connected.")
@kept_shapes
def test_crossed_edges(topo_of, graph):
    """Nodes may share all their operands."""
    check(topo_of, graph(**SHAPES["crossed"]), "g")
    check(topo_of, graph(**SHAPES["late user"]), "s")


@pytest.mark.weight(2)
@pytest.mark.hint("A node is ready when all its operands are in the list, each counted once, and not before.")
@kept_shapes
def test_a_near_and_a_far_operand_of_a_shared_node(topo_of, graph):
    """A node with two users, a near and a far operand stands after both operands."""
    check(topo_of, graph(**SHAPES["far operand"]), "r")


@pytest.mark.hint("Use nothing of `_prev` but a `for` loop.")
@kept_sides
def test_prev_may_be_a_list(topo_of, graph):
    """`_prev` may be a list."""
    check(topo_of, graph("list", **SHAPES["crossed"]), "g")


@pytest.mark.hint("Use nothing of `_prev` but a `for` loop: a set has no positions.")
@kept_sides
def test_prev_may_be_a_set(topo_of, graph):
    """`_prev` may be a set."""
    check(topo_of, graph("set", **SHAPES["crossed"]), "g")
    check(topo_of, graph("set", **SHAPES["late user"]), "s")


@pytest.mark.hint("Use nothing of `_prev` but a `for` loop: a frozenset cannot be changed.")
def test_prev_may_be_a_frozenset(topo_of, graph):
    """`_prev` may be a frozenset."""
    check(topo_of, graph("frozenset", **SHAPES["crossed"]), "g")


@pytest.mark.hint("Count every user of a node once, however often the node stands among its operands.")
@kept_shapes
def test_the_same_operand_twice_beside_another(topo_of, graph):
    """A node may stand twice among the operands of each of its two users."""
    check(topo_of, graph(a="", b="a", c="bb", d="cbb"), "d")
    check(topo_of, graph(a="", b="a", c="bb", d="bbc"), "d")


@pytest.mark.hint("Use nothing of `_prev` but a `for` loop, and nothing of its type.")
@kept_sides
def test_nodes_may_keep_their_operands_in_different_containers(topo_of, graph):
    """One node's `_prev` may be a tuple, its user's a list, and another's a set."""
    g = graph(a="", b="", c="ab", d="cb", e="d")
    g["d"]._prev = [g["c"], g["b"]]
    g["e"]._prev = {g["d"]}
    check(topo_of, g, "e")


@pytest.mark.hint("Start from the node you are given, and go down only.")
@kept_shapes
def test_only_what_lies_below(topo_of, graph):
    """Started in the middle of a graph, only what lies below is sorted."""
    g = graph(a="", b="a", c="b", d="c", e="ab")
    check(topo_of, g, "c")


@pytest.mark.hint("Recursion is fine for this depth.")
@kept_shapes
def test_two_hundred_nodes_deep(topo_of, graph):
    """A chain of 200 nodes is no problem, with recursion or without."""
    check(topo_of, graph(**({"n0": ()} | {f"n{i}": (f"n{i - 1}",) for i in range(1, 201)})), "n200")


@pytest.mark.hint("Read `_prev`; leave it as it is.")
@kept_sides
def test_the_graph_stays_as_it_was(topo_of, graph):
    """The sort changes no node."""
    for container in ("tuple", "list", "set"):
        g = graph(container, a="", b="", c="ab", d="cc")
        before = (g["c"]._prev, g["d"]._prev)
        topo_of(g, "d")
        after = (g["c"]._prev, g["d"]._prev)
        assert after == before, "the operands of a node were changed"
