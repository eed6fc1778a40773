"""``build_topo``: any graph, any container in ``_prev``.

A mistake that shows in the simplest graphs costs marks there; here, the sort has to come to every node, and to be no
worse than in those.
"""

import pytest

pytestmark = [pytest.mark.concept("any graph shape"), pytest.mark.subject("build_topo")]

kept_shapes = pytest.mark.redundant_ok(
    "a shape of its own: who follows the order of a set passes some shapes by chance"
)
kept_sides = pytest.mark.redundant_ok("says which operand or which operation it is")


@pytest.fixture
def check(basics):
    """The sort comes to every node, and the lists are right, but for what is wrong with every graph."""

    def run(made, *, counted=True):
        made = list(made)
        strange = max(one.strange for one in made)
        assert strange == 0, f"{strange} entries of the list do not belong there"
        if not any(one.faults or one.not_reached for one in made):
            return
        known = basics()
        missed = max(len(known.not_reached(one)) for one in made)
        assert missed == 0, f"{missed if counted else 'some'} nodes are never looked at"
        faults = {fault for one in made for fault in one.faults} - known.faults
        missing, repeated = max(one.missing for one in made), max(one.repeated for one in made)
        assert "missing" not in faults, f"{missing if counted else 'some'} nodes are missing"
        assert "repeated" not in faults, f"{repeated if counted else 'some'} nodes stand there more than once"
        assert "order" not in faults, "a node stands before one of its operands"

    return run


@pytest.mark.hint("Go through all of `_prev`, not just the first one or two.")
@kept_shapes
def test_many_operands(check, both, topo_of):
    """A node may have any number of operands, and of users."""
    check(topo_of(graph) for graph in both("wide", "fan", "fan over a chain", "mixed fan over a chain"))


@pytest.mark.hint("Append a node after all its operands, however they are connected.")
@kept_shapes
def test_crossed_edges(check, both, topo_of):
    """Nodes may share all their operands."""
    check(topo_of(graph) for graph in both("crossed", "late user", "many users"))


@pytest.mark.weight(2)
@pytest.mark.hint("A node is ready when all its operands are in the list, each counted once, and not before.")
@kept_shapes
def test_a_near_and_a_far_operand_of_a_shared_node(check, both, topo_of):
    """A node with two users, a near and a far operand stands after both operands."""
    check(topo_of(graph) for graph in both("far operand", "short and long", "short and very long"))


@pytest.mark.hint("Use nothing of `_prev` but a `for` loop.")
@kept_sides
def test_prev_may_be_a_list(check, both, topo_of):
    """`_prev` may be a list."""
    check(topo_of(graph) for graph in both("crossed", container="list"))


@pytest.mark.hint("Use nothing of `_prev` but a `for` loop: a set has no positions.")
@kept_sides
def test_prev_may_be_a_set(check, both, topo_of):
    """`_prev` may be a set."""
    check((topo_of(graph) for graph in both("crossed", "late user", container="set")), counted=False)


@pytest.mark.hint("Use nothing of `_prev` but a `for` loop: a frozenset cannot be changed.")
def test_prev_may_be_a_frozenset(check, both, topo_of):
    """`_prev` may be a frozenset."""
    check((topo_of(graph) for graph in both("crossed", container="frozenset")), counted=False)


@pytest.mark.hint("Count every user of a node once, however often the node stands among its operands.")
@kept_shapes
def test_the_same_operand_twice_beside_another(check, both, topo_of):
    """A node may stand twice among the operands of each of its users."""
    check(topo_of(graph) for graph in both("twice", "twice and twice", "twice in both users", "twice below others"))


@pytest.mark.hint("Use nothing of `_prev` but a `for` loop, and nothing of its type.")
@kept_sides
def test_nodes_may_keep_their_operands_in_different_containers(check, graph, topo_of):
    """One node's `_prev` may be a tuple, its user's a list, and another's a set."""
    made = []
    for c, d in (("ab", "cb"), ("ba", "bc")):
        g = graph(a="", b="", c=c, d=d, e="d")
        g["d"]._prev = [g[name] for name in d]
        g["e"]._prev = {g["d"]}
        made.append(topo_of(g))
    check(made)


@pytest.mark.hint("Start from the node you are given, and go down only.")
@kept_shapes
def test_only_what_lies_below(check, graph, topo_of):
    """Started in the middle of a graph, only what lies below is sorted."""
    g = graph(a="", b="a", c="b", d="c", e="ab")
    check([topo_of(g, "c")])


@pytest.mark.hint("Recursion is fine for this depth.")
@kept_shapes
def test_two_hundred_nodes_deep(check, both, topo_of):
    """A chain of 200 nodes is no problem, with recursion or without."""
    check(topo_of(graph) for graph in both("deep"))


@pytest.mark.hint("Stop when there is nothing left to look at, and not before.")
@kept_shapes
def test_graphs_of_many_nodes(check, both, topo_of):
    """A graph may have 20, 60 or 200 nodes."""
    check(topo_of(graph) for graph in both("20 nodes", "60 nodes", "200 nodes"))


@pytest.mark.hint("Read `_prev`; leave it as it is.")
@kept_sides
def test_the_graph_stays_as_it_was(check, graph, topo_of):
    """The sort changes no node."""
    for container in ("tuple", "list", "set"):
        g = graph(container, a="", b="", c="ab", d="cc")
        before = (g["c"]._prev, g["d"]._prev)
        made = topo_of(g, "d")
        after = (g["c"]._prev, g["d"]._prev)
        assert after == before, "the operands of a node were changed"
        check([made])
