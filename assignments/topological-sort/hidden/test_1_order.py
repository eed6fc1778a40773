"""``build_topo``: every node after its operands."""

import pytest

pytestmark = [pytest.mark.concept("order"), pytest.mark.about("build_topo")]

kept_simplest = pytest.mark.kept("the simplest case, and the first to read")
kept_shapes = pytest.mark.kept("a shape of its own: who follows the order of a set passes some shapes by chance")
kept_sides = pytest.mark.kept("says which operand or which operation it is")

after = pytest.mark.hint("Append a node after the recursion into all its operands, not before.")


def check(topo_of, graph, root):
    """All below the root are there, each after its operands."""
    order = topo_of(graph, root)
    missing = graph.reachable(root) - set(order)
    assert not missing, f"{len(missing)} of {len(graph.reachable(root))} nodes are missing"
    assert graph.too_early(order) is None, "a node stands before one of its operands"


@after
@kept_simplest
def test_a_chain(topo_of, graph):
    """Along a chain, every node stands after the one it uses."""
    check(topo_of, graph(a="", b="a", c="b", d="c"), "d")


@after
@kept_shapes
def test_a_tree(topo_of, graph):
    """In a tree, every node stands after both its operands."""
    check(topo_of, graph(a="", b="", c="", d="", e="ab", f="cd", g="ef"), "g")


@after
@kept_sides
def test_the_root_is_last(topo_of, graph):
    """The node that the sort starts from is the last one."""
    order = topo_of(graph(a="", b="a", c="a", d="bc"), "d")
    assert order, "the list is empty"
    assert order[-1] == "d", "another node is the last one"


@after
@kept_shapes
def test_a_diamond(topo_of, graph):
    """A node with two users stands before both."""
    check(topo_of, graph(a="", b="a", c="a", d="bc"), "d")


@pytest.mark.weight(2)
@after
@kept_shapes
def test_a_short_and_a_long_way_to_the_same_node(topo_of, graph):
    """A node with a near and a far user stands before both, on whichever side they are."""
    check(topo_of, graph(a="", b="a", c="b", d="c", e="bd"), "e")
    check(topo_of, graph(a="", b="a", c="b", d="c", e="db"), "e")
    check(topo_of, graph(x="", n="x", p="n", q="p", r="q", s="nr", t="sn"), "t")


@after
@kept_shapes
def test_a_node_with_many_users(topo_of, graph):
    """A node with six users, each further up than the last, stands before all of them."""
    check(topo_of, graph(x="", n="x", p="n", q="pn", r="qn", s="rn", t="sn", u="tn"), "u")
    check(topo_of, graph(x="", n="x", p="n", q="np", r="nq", s="nr", t="ns", u="nt"), "u")


@after
@kept_shapes
def test_nodes_with_few_and_with_many_operands(topo_of, graph):
    """However many operands a node has, it stands after them and before its users."""
    check(topo_of, graph(a="", b="", c="ab", d="c", e="dabc", f="e"), "f")


@after
@kept_simplest
def test_a_single_node(topo_of, graph):
    """A node without operands gives a list of itself."""
    order = topo_of(graph(a="", b="a"), "a")
    assert order == ["a"], f"the list has {len(order)} nodes"


@pytest.mark.hint("Append to the list you are given: `topo = topo + [v]` makes a new one that nobody sees.")
def test_what_is_in_the_list_already_stays(student, graph):
    """What stands in `topo` before stays where it is, and the new nodes come after it."""
    g = graph(a="", b="a", c="")
    topo = student.list(g["c"])
    student.get("build_topo")(g["b"], student.set(), topo)
    order = g.names(list(topo))
    assert order[:1] == ["c"], "the node that was there is no longer the first"
    assert order[1:] == ["a", "b"], f"after it stand {len(order) - 1} nodes, or in a wrong order"
