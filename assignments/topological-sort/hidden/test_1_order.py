"""``build_topo``: every node after its operands. What is missing or there twice is judged elsewhere."""

import pytest
from graph_shapes import MIXED

pytestmark = [pytest.mark.concept("order"), pytest.mark.subject("build_topo")]

kept_simplest = pytest.mark.redundant_ok("the simplest case, and the first to read")
kept_shapes = pytest.mark.redundant_ok(
    "a shape of its own: who follows the order of a set passes some shapes by chance"
)
kept_sides = pytest.mark.redundant_ok("says which operand or which operation it is")

after = pytest.mark.hint("Append a node after the recursion into all its operands, not before.")


@pytest.fixture
def check(both, topo_of):
    """At least half of the nodes are in the list, none of them before one of its operands."""

    def run(*shapes):
        made = [topo_of(graph) for graph in both(*shapes)]
        fewest = min(made, key=lambda one: len(set(one.order)) / len(one.wanted))
        found, wanted = len(set(fewest.order)), len(fewest.wanted)
        assert 2 * found >= wanted, f"{found} of {wanted} nodes are in the list: too few for an order"
        assert not any(one.disordered for one in made), "a node stands before one of its operands"

    return run


@after
@kept_simplest
def test_a_chain(check):
    """Along a chain, every node stands after the one it uses."""
    check("chain")


@after
@kept_shapes
def test_a_tree(check):
    """In a tree, every node stands after both its operands."""
    check("tree")


@after
@kept_sides
def test_the_root_is_last(both, topo_of):
    """The node that the sort starts from is the last one."""
    made = [topo_of(graph).order for graph in both("diamond")]
    assert min(map(len, made)) > 1, "the list is empty, or there is one node in it"
    assert all(order[-1] == "d" for order in made), "another node is the last one"


@after
@kept_shapes
def test_a_diamond(check):
    """A node with two users stands before both."""
    check("diamond", "handout")


@pytest.mark.weight(2)
@after
@kept_shapes
def test_a_short_and_a_long_way_to_the_same_node(check):
    """A node with a near and a far user stands before both, on whichever side they are."""
    check("short and long", "short and very long")


@after
@kept_shapes
def test_a_node_with_many_users(check):
    """A node with six users, each further up than the last, stands before all of them."""
    check("many users")


@after
@kept_shapes
def test_nodes_with_few_and_with_many_operands(check):
    """However many operands a node has, it stands after them and before its users."""
    check("few and many operands")


@pytest.mark.hint("Append a node after all its operands, however they are connected.")
@kept_shapes
def test_nodes_whose_users_cross(check):
    """Nodes that share all their operands stand after all of them."""
    check("crossed", "late user", "far operand")


@pytest.mark.hint("Append a node after all its operands, however often it is one of them.")
@kept_shapes
def test_an_operand_that_is_there_twice(check):
    """A node that stands twice among the operands of another stands before it."""
    check("twice and twice", "twice in both users", "twice below others")


@after
@kept_shapes
def test_graphs_of_many_nodes(check):
    """In graphs of 20, 60 and 200 nodes, every node stands after its operands."""
    check("20 nodes", "60 nodes", "200 nodes")


@pytest.mark.hint("Append a node after all its operands, however they are connected.")
@kept_shapes
def test_graphs_of_no_plan(check):
    """In twelve graphs of up to 17 nodes, connected without a plan, every node stands after its operands."""
    check(*MIXED)


@after
@kept_simplest
def test_a_single_node(topo_of, graph):
    """A node without operands gives a list of itself."""
    order = topo_of(graph(a="", b="a"), "a").order
    assert order == ["a"], f"the list has {len(order)} nodes"


@pytest.mark.hint("Append to the list you are given: `topo = topo + [v]` makes a new one that nobody sees.")
def test_what_is_in_the_list_already_stays(student, graph):
    """What stands in `topo` before stays where it is, and the new nodes come after it."""
    for before in ("c", "zxy"):
        g = graph(a="", b="a", x="", y="x", z="y", c="")
        topo = student.make_list(*(g[name] for name in before))
        student.get("build_topo")(g["b"], student.make_set(), topo)
        order = g.names(list(topo))
        there = len(before)
        assert order[:there] == [*before], f"of {there} nodes that were there, not all stand where they were"
        assert set(order[there:]) == {"a", "b"}, f"after them stand {len(set(order[there:]) & {'a', 'b'})} of 2 nodes"
