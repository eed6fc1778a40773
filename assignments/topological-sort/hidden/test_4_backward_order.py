"""``backward_order``: the reverse, users first.

A list that is wrong only because ``build_topo`` gives the nodes in a wrong order is right here: it costs marks there.
"""

import pytest

from autograder.bridge import StudentError

pytestmark = [
    pytest.mark.concept("backward order"),
    pytest.mark.subject("backward_order"),
]

kept_simplest = pytest.mark.redundant_ok("the simplest case, and the first to read")
kept_shapes = pytest.mark.redundant_ok(
    "a shape of its own: who follows the order of a set passes some shapes by chance"
)
kept_sides = pytest.mark.redundant_ok("says which operand or which operation it is")

reverse = pytest.mark.hint("Sort with `build_topo`, a new `visited` and a new `topo`; return the list reversed.")


@pytest.fixture
def follows(topo_of):
    """Whether a list is the reverse of what ``build_topo`` gives, all nodes once, in a wrong order."""

    def find(graph, order):
        try:
            own = topo_of(graph)
        except StudentError:
            return False
        return own.faults == {"order"} and own.order[::-1] == order

    return find


@pytest.fixture
def check(both, backward_of, follows):
    """All below the root, each once, users before their operands."""

    def run(*shapes):
        repeated = missing = 0
        disordered = False
        for graph in both(*shapes):
            order = backward_of(graph)
            repeated = max(repeated, len(order) - len(set(order)))
            missing = max(missing, len(graph.reachable(graph.root) - set(order)))
            disordered = disordered or (graph.too_early(order[::-1]) and not follows(graph, order))
        assert repeated == 0, f"{repeated} nodes stand there more than once"
        assert missing == 0, f"{missing} nodes are missing"
        assert not disordered, "a node stands before one that uses it"

    return run


@reverse
@kept_simplest
def test_the_root_is_first(both, backward_of, follows):
    """The root is the first node."""
    made = [(graph, backward_of(graph)) for graph in both("chain", "diamond")]
    fewest = min(len(order) for _, order in made)
    assert fewest > 1, f"there are {fewest} nodes in the list"
    for graph, order in made:
        assert order[0] == graph.root or follows(graph, order), "another node is the first one"


@reverse
@kept_shapes
def test_users_come_before_operands(check):
    """Every node stands before its operands, in a chain and in a tree."""
    check("chain", "tree")


@pytest.mark.weight(2)
@reverse
def test_a_node_waits_for_all_its_users(check):
    """A node with several users stands after all of them."""
    check("diamond", "handout", "short and long", "short and very long", "late user", "many users")


@reverse
@kept_shapes
def test_the_same_operand_twice(check):
    """A node that stands twice among the operands of another is in the list once, after it."""
    check("twice", "twice and twice", "twice in both users", "twice below others")


@reverse
@kept_shapes
def test_any_shape(check):
    """Users come first in any graph, with 20, 60 or 200 nodes too."""
    check("wide", "crossed", "far operand", "few and many operands", "20 nodes", "60 nodes", "200 nodes", "fan")


@reverse
@kept_simplest
def test_a_single_node(backward_of, graph):
    """A node without operands gives a list of itself, and one with an operand a list of two."""
    g = graph(a="", b="a")
    lengths = [len(backward_of(g, "a")), len(backward_of(g, "b"))]
    assert backward_of(g, "a") == ["a"], f"the list has {lengths[0]} nodes"
    assert lengths[1] == 2, f"with an operand, the list has {lengths[1]} nodes"


@pytest.mark.hint("Make `visited` and `topo` anew at every call; a default argument is made only once.")
@kept_sides
def test_every_call_starts_afresh(backward_of, both):
    """A second call gives all nodes again, and nothing of another graph."""
    graphs = [*both("diamond", "two nodes")]
    missing = others = 0
    for graph in (*graphs, *graphs):
        order = backward_of(graph)
        missing = max(missing, len(graph.nodes.keys() - set(order)))
        others = max(others, sum(name not in graph.nodes for name in order))
    assert missing == 0, f"{missing} nodes are missing"
    assert others == 0, f"{others} entries of the list do not belong there"


@pytest.mark.hint("Make a new list at every call, and return the list itself, not an iterator over it.")
def test_the_result_is_a_list_of_its_own(student, graph):
    """The result is a list: it can be read more than once, and a later call does not change it."""
    g, other = graph(a="", b="a", c="ab"), graph(x="", y="x")
    backward_order = student.get("backward_order")
    order = student.call_and_keep_result(backward_order, g["c"])
    kind = student.get_class_name(order)
    assert kind not in ("tuple", "deque", "dict", "set", "str"), f"it is a {kind}"
    assert hasattr(order, "append"), "it is no list"  # a subclass of list has that, and so has a list of one's own
    assert student.call_and_keep_result(backward_order, g["c"]) is not order, "a second call gives the very same list"
    first = g.names(list(order))
    again = g.names(list(order))
    assert len(first) > 1, f"the list has {len(first)} nodes"
    assert again == first, f"read once it has {len(first)} nodes, read again {len(again)}"
    student.call_and_keep_result(backward_order, other["y"])
    later = g.names(list(order))
    assert later == first, "a later call changed it"
