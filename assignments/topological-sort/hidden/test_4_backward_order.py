"""``backward_order``: the reverse, users first."""

import pytest

pytestmark = [
    pytest.mark.concept("backward order"),
    pytest.mark.about("backward_order"),
]

kept_simplest = pytest.mark.kept("the simplest case, and the first to read")
kept_shapes = pytest.mark.kept("a shape of its own: who follows the order of a set passes some shapes by chance")
kept_sides = pytest.mark.kept("says which operand or which operation it is")

reverse = pytest.mark.hint("Sort with `build_topo`, a new `visited` and a new `topo`; return the list reversed.")


def check(backward_of, graph, root):
    """All below the root, each once, users before their operands."""
    order = backward_of(graph, root)
    assert len(order) == len(set(order)), "a node stands there more than once"
    assert set(order) == graph.reachable(root), f"{len(set(order))} of {len(graph.reachable(root))} nodes are there"
    assert graph.too_early(order[::-1]) is None, "a node stands before one that uses it"


@reverse
@kept_simplest
def test_the_root_is_first(backward_of, graph):
    """The root is the first node."""
    order = backward_of(graph(a="", b="a", c="b"), "c")
    assert order, "the list is empty"
    assert order[0] == "c", "another node is the first one"


@reverse
@kept_shapes
def test_users_come_before_operands(backward_of, graph):
    """Every node stands before its operands, in a chain and in a tree."""
    check(backward_of, graph(a="", b="a", c="b", d="c"), "d")
    check(backward_of, graph(a="", b="", c="", d="", e="ab", f="cd", g="ef"), "g")


@pytest.mark.weight(2)
@reverse
@kept_shapes
def test_a_node_waits_for_all_its_users(backward_of, graph):
    """A node with several users stands after all of them."""
    check(backward_of, graph(a="", b="a", c="a", d="bc"), "d")
    check(backward_of, graph(a="", b="a", c="b", d="c", e="bd"), "e")
    check(backward_of, graph(a="", b="a", c="b", d="c", e="db"), "e")
    check(backward_of, graph(x="", m="x", n="xm", o="mn", p="no", q="pm", r="qn", s="ro"), "s")


@reverse
@kept_simplest
def test_a_single_node(backward_of, graph):
    """A node without operands gives a list of itself."""
    assert backward_of(graph(a=""), "a") == ["a"]


@pytest.mark.hint("Make `visited` and `topo` anew at every call; a default argument is made only once.")
@kept_sides
def test_every_call_starts_afresh(backward_of, graph):
    """A second call gives all nodes again, and nothing of another graph."""
    first, second = graph(a="", b="a", c="ab"), graph(a="", b="a")
    check(backward_of, first, "c")
    check(backward_of, second, "b")
    check(backward_of, first, "c")


@pytest.mark.hint("Make a new list at every call, and return the list itself, not an iterator over it.")
def test_the_result_is_a_list_of_its_own(student, graph):
    """The result is a list: it can be read more than once, and a later call does not change it."""
    g, other = graph(a="", b="a", c="ab"), graph(x="", y="x")
    backward_order = student.get("backward_order")
    order = student.kept(backward_order, g["c"])
    kind = student.class_name(order)
    assert kind not in ("tuple", "deque", "dict", "set", "str"), f"it is a {kind}"
    assert student.kept(backward_order, g["c"]) is not order, "a second call gives the very same list"
    first = g.names(list(order))
    again = g.names(list(order))
    assert again == first, f"read once it has {len(first)} nodes, read again {len(again)}"
    student.kept(backward_order, other["y"])
    later = g.names(list(order))
    assert later == first, "a later call changed it"
