"""``backward_order``: the reverse, users first.

A list that is wrong only because ``build_topo`` gives the nodes in a wrong order is right here: it costs marks there.
"""

import pytest
from graph_shapes import MIXED
from sorted_graph import MOST_LOOKS, count_looks

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

LARGE = ("20 nodes", "60 nodes", "200 nodes", "fan", "fan over a chain", "mixed fan over a chain")


def find_container_problem(graph, find_order):
    """Return what is wrong with an order of all nodes of a graph, or with the graph afterwards; "" if nothing is."""
    before = [node._prev for node in graph.nodes.values()]
    missing = len(graph.nodes.keys() - set(find_order(graph)))
    if missing:
        return f"{missing} of {len(graph.nodes)} nodes are missing"
    after = [node._prev for node in graph.nodes.values()]
    return "" if after == before else "the operands of a node were changed"


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
def own_problem(both, topo_of):
    """Return whether ``build_topo`` fails with a container, but not with tuples; that costs marks there."""

    def find(container):
        try:
            made = [
                find_container_problem(graph, lambda graph: topo_of(graph).order)
                for graph in both("crossed", "diamond", container=container)
            ]
        except StudentError:
            return container != "tuple"
        return any(problem.startswith("the operands") or container != "tuple" for problem in made if problem)

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
@kept_shapes
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
    check("wide", "crossed", "far operand", "few and many operands", *LARGE)


@reverse
@kept_shapes
def test_graphs_of_no_plan(check):
    """Users come first in twelve graphs of up to 17 nodes, connected without a plan."""
    check(*MIXED)


@pytest.mark.hint("Use nothing of `_prev` but a `for` loop: a set has no positions. Leave it as it is.")
def test_prev_may_be_any_container(backward_of, both, own_problem):
    """`_prev` may be a list, a set or a frozenset, and stays as it is."""
    for container in ("tuple", "list", "set", "frozenset"):
        for graph in both("crossed", "diamond", container=container):
            try:
                problem = find_container_problem(graph, backward_of)
            except StudentError:
                if own_problem(container):
                    return
                raise
            assert not problem or own_problem(container), f"where it is a {container}, {problem}"


@pytest.mark.hint("Sort with `build_topo`, which goes into every node once; otherwise the work doubles every level.")
@pytest.mark.redundant_ok("the only test that a right order at the price of every path fails")
def test_a_ladder_of_shared_nodes(backward_of, topo_of, both):
    """The work on a ladder of 16 shared levels is that of its nodes, not that of its 65,536 paths."""
    most = missing = 0
    for graph, fresh_graph in zip(both("ladder"), both("ladder"), strict=True):
        looks, order = count_looks(graph, backward_of)
        if looks > MOST_LOOKS and count_looks(fresh_graph, topo_of)[0] > MOST_LOOKS:
            return  # it costs marks there
        most = max(most, looks)
        missing = max(missing, len(graph.nodes.keys() - set(graph.nodes if order is None else order)))
    assert most <= MOST_LOOKS, f"it looked at operands more than {MOST_LOOKS} times, for 33 nodes"
    assert missing == 0, f"{missing} of 33 nodes are missing"


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
