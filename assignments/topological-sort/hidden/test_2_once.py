"""``build_topo``: no node twice, and ``visited`` is kept."""

import pytest

from autograder.bridge import StudentError

MOST_LOOKS = 20_000
"""Even a sort that compares all nodes with all others stays far below; one that follows every path does not."""

pytestmark = [pytest.mark.concept("each node once"), pytest.mark.about("build_topo")]

kept_simplest = pytest.mark.kept("the simplest case, and the first to read")
kept_shapes = pytest.mark.kept("a shape of its own: who follows the order of a set passes some shapes by chance")
kept_sides = pytest.mark.kept("says which operand or which operation it is")

once = pytest.mark.hint("Return at once for a node that is in `visited`, and add every node you go into.")


def check(topo_of, graph, root):
    """No node stands twice, and none is missing."""
    order = topo_of(graph, root)
    assert len(order) == len(set(order)), f"{len(order) - len(set(order))} nodes stand there more than once"
    assert set(order) == graph.reachable(root), f"{len(set(order))} of {len(graph.reachable(root))} nodes are there"


@once
@kept_simplest
def test_a_node_with_two_users(topo_of, graph):
    """A node that two others use is in the list once."""
    check(topo_of, graph(a="", b="a", c="a", d="bc"), "d")


@once
@kept_shapes
def test_the_same_operand_twice(topo_of, graph):
    """A node that stands twice among the operands of another is in the list once."""
    check(topo_of, graph(a="", b="aa", c="bb"), "c")


@pytest.mark.hint("Nothing is taken out of `topo` again.")
@kept_shapes
def test_many_nodes(topo_of, graph):
    """In a chain of 60 nodes, each is in the list once."""
    check(topo_of, graph(**({"n0": ()} | {f"n{i}": (f"n{i - 1}",) for i in range(1, 61)})), "n60")


@pytest.mark.weight(2)
@pytest.mark.hint("Look into `visited` before you go into a node: otherwise the work doubles with every level.")
@kept_shapes
def test_a_ladder_of_shared_nodes(topo_of, graph):
    """The work on a ladder of 16 shared levels is that of its nodes, not that of its 65,536 paths."""
    operands = {"n0": ()} | {f"n{i}": (f"n{i - 1}", f"n{i - 1}") for i in range(1, 17)}
    g = graph(**operands)
    looks = g.watch(MOST_LOOKS)
    try:
        check(topo_of, g, "n16")
    except StudentError:
        if looks.count <= MOST_LOOKS:
            raise
    assert looks.count <= MOST_LOOKS, f"it looked at operands more than {MOST_LOOKS} times, for 17 nodes"


@once
def test_visited_is_filled(student, graph):
    """Afterwards, `visited` holds every node that was appended."""
    g = graph(a="", b="a", c="ab")
    visited, topo = student.set(), student.list()
    student.get("build_topo")(g["c"], visited, topo)
    assert sorted(g.names(list(visited))) == ["a", "b", "c"], f"it holds {len(visited)} things"


@once
@kept_sides
def test_visited_nodes_are_left_out(student, graph):
    """A node that is in `visited` from the start is not appended."""
    g = graph(a="", b="a", c="a", d="bc")
    visited, topo = student.set(g["a"], g["b"]), student.list()
    student.get("build_topo")(g["d"], visited, topo)
    order = g.names(list(topo))
    assert "a" not in order, "a visited node was appended"
    assert "b" not in order, "a visited node was appended"
    assert sorted(order) == ["c", "d"], f"{len(order)} nodes were appended"


@once
def test_a_visited_root_gives_nothing(student, graph):
    """Started on a node that is in `visited`, nothing is appended."""
    g = graph(a="", b="a")
    topo = student.list()
    student.get("build_topo")(g["b"], student.set(g["b"]), topo)
    assert len(topo) == 0, f"{len(topo)} nodes were appended"


@pytest.mark.hint("Use the `visited` and `topo` you are given; a default argument is made only once.")
@kept_sides
def test_two_calls_have_nothing_to_do_with_each_other(topo_of, graph):
    """The same graph sorted twice gives all its nodes both times."""
    g = graph(a="", b="a", c="ab")
    check(topo_of, g, "c")
    check(topo_of, g, "c")
