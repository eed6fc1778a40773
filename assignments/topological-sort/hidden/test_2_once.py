"""``build_topo``: every node is in the list, none twice, and ``visited`` is kept. Any order will do."""

import pytest
from sorted_graph import MOST_LOOKS, count_looks

pytestmark = [pytest.mark.concept("each node once"), pytest.mark.subject("build_topo")]

kept_simplest = pytest.mark.redundant_ok("the simplest case, and the first to read")
kept_shapes = pytest.mark.redundant_ok(
    "a shape of its own: who follows the order of a set passes some shapes by chance"
)
kept_sides = pytest.mark.redundant_ok("says which operand or which operation it is")

once = pytest.mark.hint("Return at once for a node that is in `visited`, and add every node you go into.")


def judge(made):
    """No node stands twice, and none is missing."""
    most = max(one.repeated for one in made)
    assert most == 0, f"{most} nodes stand there more than once"
    fewest = max(made, key=lambda one: one.missing)
    assert fewest.missing == 0, f"{fewest.missing} of {len(fewest.wanted)} nodes are missing"


@pytest.mark.weight(2)
@once
@kept_simplest
def test_a_node_with_two_users(both, topo_of):
    """A node that two others use is in the list once, and so is every other."""
    judge([topo_of(graph) for graph in both("diamond", "handout")])


@pytest.mark.weight(2)
@once
@kept_shapes
def test_the_same_operand_twice(both, topo_of):
    """A node that stands twice among the operands of another is in the list once."""
    judge([topo_of(graph) for graph in both("twice", "twice and twice")])


@pytest.mark.hint("Nothing is taken out of `topo` again.")
@kept_shapes
def test_many_nodes(both, topo_of):
    """In graphs of 20, 60 and 200 nodes, each is in the list once."""
    judge([topo_of(graph) for graph in both("deep", "20 nodes", "60 nodes", "200 nodes")])


@pytest.mark.weight(2)
@pytest.mark.hint("Look into `visited` before you go into a node: otherwise the work doubles with every level.")
@kept_shapes
def test_a_ladder_of_shared_nodes(both, topo_of):
    """The work on a ladder of 16 shared levels is that of its nodes, not that of its 65,536 paths."""
    most = missed = count = 0
    for graph in both("ladder of twins", "ladder"):
        looks, made = count_looks(graph, topo_of)
        if looks > most:
            most, count = looks, len(graph.nodes)
        if made is not None and len(made.not_reached) > missed:
            missed, nodes = len(made.not_reached), len(graph.nodes)
    assert most <= MOST_LOOKS, f"it looked at operands more than {MOST_LOOKS} times, for {count} nodes"
    assert missed == 0, f"{missed} of {nodes} nodes are in neither `topo` nor `visited`"


@once
def test_visited_is_filled(both, topo_of):
    """Afterwards, `visited` holds every node that was appended."""
    made = [topo_of(graph) for graph in both("diamond")]
    held = min(len(one.visited & one.wanted) for one in made)
    assert all(one.visited == one.wanted for one in made), f"it holds {held} of 4 nodes"


@once
@kept_sides
def test_visited_nodes_are_left_out(student, both):
    """A node that is in `visited` from the start is not appended, nor is it walked through."""
    appended, reached = set(), {"c", "d", "x"}
    for graph in both("below a leaf's user"):
        visited, topo = student.make_set(graph["b"]), student.make_list()
        student.get("build_topo")(graph["d"], visited, topo)
        order = graph.names(list(topo))
        appended |= set(order)
        reached &= {*order, *graph.names(list(visited))}
    assert "b" not in appended, "a visited node was appended"
    assert "a" not in appended, "what lies below a visited node was appended"
    assert len(reached) == 3, f"{3 - len(reached)} of 3 other nodes are missing"


@pytest.mark.weight(2)
@pytest.mark.hint(
    "Skip a node that is in `visited`. What lies below it may be reached on another way, and is appended."
)
def test_nodes_below_a_visited_one_and_another(student, both):
    """A node below a visited node is appended if another way leads to it."""
    shapes = {"diamond": ("b", "c"), "handout": ("p", "a"), "late user": ("o", "mp"), "many users": ("q", "xr")}
    missing = skipped = lost = 0
    for shape, starts in shapes.items():
        for start in starts:
            for graph in both(shape):
                visited, topo = student.make_set(*(graph[name] for name in start)), student.make_list()
                student.get("build_topo")(graph[graph.root], visited, topo)
                order, held = graph.names(list(topo)), set(graph.names(list(visited)))
                missing = max(missing, len(graph.reachable(graph.root, around=start) - set(order)))
                skipped = max(skipped, len(set(order) & set(start)))
                lost = max(lost, len(set(start) - held))
    assert missing == 0, f"{missing} nodes are missing to which a way leads that goes through no visited node"
    assert skipped == 0, f"{skipped} visited nodes were appended"
    assert lost == 0, f"{lost} nodes that were in `visited` are no longer there"


@once
def test_a_visited_root_gives_nothing(student, graph, topo_of):
    """Started on a node that is in `visited`, nothing is appended; on another, something is."""
    g = graph(a="", b="a")
    missed = len(topo_of(g).not_reached)
    assert missed == 0, f"{missed} of 2 nodes are in neither `topo` nor `visited`"
    topo = student.make_list()
    student.get("build_topo")(g["b"], student.make_set(g["b"]), topo)
    assert len(topo) == 0, f"{len(topo)} nodes were appended"


@pytest.mark.hint("Use the `visited` and `topo` you are given; a default argument is made only once.")
@kept_sides
def test_two_calls_have_nothing_to_do_with_each_other(both, topo_of):
    """The same graph sorted twice gives all its nodes both times."""
    judge([topo_of(graph) for graph in both("diamond") for _ in range(2)])
