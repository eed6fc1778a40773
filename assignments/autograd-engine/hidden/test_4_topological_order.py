"""``backward()``: every node's ``_backward`` once, after all nodes that use it.

The graphs are wired by hand, so that this needs neither ``+`` nor ``*``. Any valid order is right, and every graph is
tried mirrored as well: which operand an engine visits first is its own choice.
"""

import random
from collections import Counter

import pytest
from recording_graph import sets_operands

from autograder.bridge import StudentError

MOST_VISITS = 20_000
"""Even an engine that compares all nodes with all others stays far below; one that follows every path does not."""

pytestmark = [
    pytest.mark.concept("topological order"),
    pytest.mark.needs("__init__"),
    pytest.mark.subject("backward"),
]

kept_simplest = pytest.mark.redundant_ok("the simplest case, and the first to read")
kept_shapes = pytest.mark.redundant_ok(
    "a shape of its own: who follows the order of a set passes some shapes by chance"
)
kept_numbers = pytest.mark.redundant_ok("a number or a graph at which some slip of the pen shows")
kept_sides = pytest.mark.redundant_ok("says which operand or which operation it is")

order_hint = pytest.mark.hint(
    "Sort first: visit depth-first, append a node after all its operands, then go through the list in reverse."
)
remember_hint = pytest.mark.hint("Remember the nodes you visited in a set, and visit none twice.")


def ones(operands):
    """Every node passes its gradient on as it is: a leaf's gradient is then the number of ways to it."""
    return {name: (1.0,) * len(set(below)) for name, below in operands.items() if below}


def long_way(size):
    """A chain, and its last node over the one in the middle too: names in order, and operands."""
    names = [f"n{number}" for number in range(size)]
    operands = {"n0": (), **{name: (below,) for below, name in zip(names, names[1:], strict=False)}}
    operands[names[-1]] = (names[-2], names[size // 2])
    return names, operands


def check(graph, root, *, ordered=True):
    """Run the student's backward pass on a graph: all nodes with operands are called, each once, none too early."""
    graph[root].backward()
    expected = graph.reachable(root)
    repeated = {name for name, times in Counter(graph.calls).items() if times > 1}
    assert not repeated, (
        f"{len(repeated)} of {len(expected)} nodes with operands had their _backward called more than once\n"
        "Remember the nodes you visited in a set, and visit none twice."
    )
    called = expected & set(graph.calls)
    assert called == expected, (
        f"only {len(called)} of {len(expected)} nodes with operands had their _backward called\n"
        "Visit every operand of every node, and call `_backward` on each node of the list, the result included."
    )
    assert set(graph.calls) == expected, "a node was called that the result does not depend on"
    if ordered:
        assert graph.first_called_too_early() is None, (
            "a node passed its gradient on before all nodes that use it had done so"
        )
        grads = graph.grads([name for name, below in graph.operands.items() if not below])
        assert all(grads), "no gradient reaches the leaves\nSet the seed, `self.grad = 1.0`, before the first call."


@pytest.fixture
def backward_holds(make_graph, both_ways):
    """``backward_holds("c", a="", b="a", c="ab")``: see ``check``; the graph is tried mirrored as well."""

    def hold(root, *, data=None, ordered=True, **operands):
        weights = ones(operands)
        both_ways(
            lambda mirrored: check(
                make_graph(data=data, weights=weights, mirrored=mirrored, **operands), root, ordered=ordered
            )
        )

    return hold


@order_hint
@kept_simplest
def test_a_chain(backward_holds):
    """Along a chain, each node comes after the one that uses it."""
    backward_holds("e", a="", b="a", c="b", d="c", e="d")


@order_hint
@kept_shapes
def test_a_tree_reaches_all_branches(backward_holds):
    """Both branches of a tree are reached, on the left and on the right."""
    backward_holds("g", a="", b="", c="", d="", e="ab", f="cd", g="ef")


@order_hint
@kept_shapes
def test_a_diamond(backward_holds):
    """A node with two users waits for both of them."""
    backward_holds("e", a="", b="a", c="b", d="b", e="cd")


@order_hint
@kept_shapes
@pytest.mark.weight(2)
def test_a_short_and_a_long_way_to_the_same_node(backward_holds):
    """A node with a near and a far user waits for the far one, on whichever side that is."""
    backward_holds("e", a="", b="a", c="b", d="c", e="bd")
    backward_holds("d", a="", b="a", c="b", d="bc")


@order_hint
@kept_shapes
@pytest.mark.weight(2)
def test_two_nodes_that_cross(backward_holds):
    """Two nodes with the same two users both come after both of them."""
    backward_holds("f", a="", b="a", c="a", d="bc", e="cb", f="de")
    backward_holds("f", a="", b="a", c="ab", d="cb", e="dc", f="ed")


@order_hint
@pytest.mark.weight(2)
@kept_shapes
def test_a_node_whose_user_is_found_late(backward_holds):
    """A node that is met early, and has a user deep in another branch, waits for it."""
    backward_holds("t", x="", n="x", p="n", q="p", r="q", s="nr", t="s")
    backward_holds("s", x="", m="x", n="xm", o="mn", p="no", q="pm", r="qn", s="ro")


@order_hint
@kept_numbers
@pytest.mark.weight(2)
def test_a_node_with_many_users(backward_holds):
    """A node with six users, each further away than the last, waits for all of them."""
    backward_holds("u", x="", n="x", p="n", q="pn", r="qn", s="rn", t="sn", u="tn")


@remember_hint
@kept_shapes
def test_the_same_node_twice_as_operand(backward_holds):
    """A node that stands twice among the operands is called once."""
    backward_holds("e", ordered=False, a="", b="a", c="bb", d="cc", e="dd")


@order_hint
@kept_shapes
def test_the_same_node_twice_and_once_more(backward_holds):
    """A node that one user has twice and another once is called once, after both."""
    backward_holds("e", a="", b="aa", c="bb", d="cb", e="dd")
    backward_holds("r", x="", y="", n="x", p="nn", q="ny", r="pq")


@order_hint
@kept_shapes
@pytest.mark.weight(2)
def test_a_node_that_a_near_user_has_twice(backward_holds):
    """A node that stands twice among the operands of a near user, or of a far one, waits for all its users."""
    backward_holds("r", x="", n="x", p="nn", q="n", s="q", r="ps")
    backward_holds("r", x="", n="x", p="n", q="nn", s="q", t="s", r="pt")
    backward_holds("r", x="", n="x", p="nn", q="nnn", s="q", t="ns", u="pt", r="nu")


def drawn_graphs():
    """Graphs of eight nodes, whose operands are drawn: the same at every run."""
    draw = random.Random(8)
    for _ in range(10):
        names = "abcdefgh"
        operands = {"a": ""}
        for place in range(1, 8):
            below = draw.choices(names[max(0, place - 4) : place], k=draw.choice((1, 2, 2, 3)))
            operands[names[place]] = "".join(below)
        yield operands


@order_hint
@kept_shapes
def test_graphs_that_are_drawn(backward_holds):
    """Graphs in which any node may use any earlier ones, once or more, are gone through in a right order."""
    for operands in drawn_graphs():
        backward_holds("h", **operands)


def make_results(Value, count):
    """Make sums, as an engine that records its operations wants them; leaves if ``+`` does not work."""
    try:
        made = [Value(2.0) + Value(3.0) for _ in range(count)]
        if len(set(made)) == count and all(isinstance(one, Value) for one in made):
            return made
    except (StudentError, TypeError):
        pass
    return [Value(3.0 + place) for place in range(count)]


@pytest.mark.hint(
    "Walk from the node through `_prev` and through nothing else: whoever sets it has changed the graph."
)
@pytest.mark.redundant_ok("the handout says that `_prev` is followed, whoever set it")
def test_backward_follows_prev(student, Value):
    """`backward()` goes to the nodes that `_prev` holds at that moment, whoever put them there."""
    recorder = student.make_call_recorder()
    a = Value(2.0)
    b, c, d = make_results(Value, 3)
    if not all([sets_operands(student, b, a), sets_operands(student, c, b), sets_operands(student, d, c)]):
        return  # it may refuse; then all other tests make their graphs with `+`
    (nothing,) = student.make_relays([(None, (), "grad", 0.0)])
    a._backward = nothing
    nodes = {"b": (b, a), "c": (c, b), "d": (d, c)}
    relays = student.make_relays((recorder.make_callback(name), [nodes[name][1]], "grad", 1.0) for name in nodes)
    student.set_attributes((nodes[name][0], "_backward", relay) for name, relay in zip(nodes, relays, strict=True))
    d.backward()
    left_out = 3 - len(set(recorder.called_names))
    assert not left_out, f"in a chain of four, {left_out} of 3 nodes with operands had no _backward called"


@order_hint
@kept_numbers
def test_graphs_of_many_nodes(backward_holds):
    """Graphs of 20 and 60 nodes, with a node in the middle that is used again at the end, are gone through."""
    for size in (20, 60):
        names, operands = long_way(size)
        backward_holds(names[-1], **operands)


@order_hint
@kept_numbers
def test_a_wide_graph(backward_holds):
    """A node with 25 users, whose results are added one after the other, waits for all of them."""
    operands = {"x": (), "n": ("x",), "t0": ("n",)}
    for user in range(1, 26):
        operands |= {f"x{user}": (), f"u{user}": ("n", f"x{user}"), f"t{user}": (f"t{user - 1}", f"u{user}")}
    backward_holds("t25", **operands)


def ladder(levels):
    """Shared nodes on many levels: two ways from each to the next."""
    operands = {"n0": ()}
    for level in range(1, levels + 1):
        operands[f"m{level}"] = (f"n{level - 1}",)
        operands[f"n{level}"] = (f"n{level - 1}", f"m{level}")
    return operands


@remember_hint
@kept_sides
def test_the_work_does_not_double_with_each_level(backward_holds):
    """On a ladder of shared nodes the number of calls is that of the nodes, not that of the paths."""
    backward_holds("n10", ordered=False, **ladder(10))


@pytest.mark.hint("Ask `visited` before you go into a node: otherwise the work doubles with every level.")
def test_the_sort_goes_into_every_node_once(make_graph):
    """On a ladder of 16 shared levels, the sort looks at its nodes, not at all of its 65,536 paths."""
    operands = ladder(16)
    graph = make_graph(**operands)
    graph.make_silent([name for name, below in operands.items() if below and name != "n16"])
    looks = graph.count_iterations(MOST_VISITS)
    try:
        graph["n16"].backward()
    except StudentError:
        if looks.count <= MOST_VISITS:
            raise
    assert looks.count <= MOST_VISITS, f"it looked at operands more than {MOST_VISITS} times, for 33 nodes"
    assert graph.calls == ["n16"], f"the result's own _backward was called {len(graph.calls)} times"


@order_hint
@kept_numbers
def test_the_order_has_nothing_to_do_with_the_numbers(backward_holds):
    """The order is right whether numbers grow or fall towards the result."""
    operands = {"a": "", "b": "a", "c": "b", "d": "b", "e": "cd", "f": "ed"}
    for numbers in ((7.0, 6.0, 5.0, 4.0, 3.0, 2.0), (-3.0, 5.0, -7.0, 2.0, -11.0, 4.0)):
        backward_holds("f", data=dict(zip(operands, numbers, strict=True)), **operands)


@pytest.mark.hint("Compare nodes by identity: equal numbers do not make two nodes the same.")
@kept_numbers
def test_nodes_with_equal_numbers_are_different_nodes(backward_holds):
    """Nodes that hold the same number are still nodes of their own."""
    operands = {"a": "", "b": "", "c": "a", "d": "b", "e": "cd", "f": "ce", "g": "fd"}
    backward_holds("g", data=dict.fromkeys(operands, 2.0), ordered=False, **operands)


@pytest.mark.hint("Whether a node is visited has nothing to do with its number: 0.0 is a number like any other.")
@kept_numbers
def test_nodes_that_hold_zero_are_nodes_as_well(backward_holds):
    """`backward()` goes through nodes whose number is 0."""
    operands = {"a": "", "b": "a", "c": "b", "d": "cb"}
    backward_holds("d", data=dict.fromkeys(operands, 0.0), ordered=False, **operands)


@pytest.mark.hint("Go down from the node `backward` was called on; leave all others alone.")
@kept_numbers
def test_only_nodes_below_are_called(make_graph):
    """`backward()` on a node inside a graph concerns what lies below that node, and nothing else."""
    graph = make_graph(a="", b="a", c="b", d="c", e="d", f="ab")
    graph["e"].grad = graph["f"].grad = 3.0
    check(graph, "c", ordered=False)
    grads = (graph["e"].grad, graph["f"].grad)
    assert grads == (3, 3), "a gradient outside was changed"


@pytest.mark.hint("Start every call with a new `visited` and a new `topo`: a default argument is made only once.")
@kept_sides
def test_a_second_graph_has_nothing_to_do_with_the_first(make_graph):
    """A backward pass does not call nodes of a graph that an earlier one went through."""
    first = make_graph(a="", b="a", c="b")
    check(first, "c", ordered=False)
    first.calls.clear()
    second = make_graph(a="", b="a", c="ab")
    check(second, "c", ordered=False)
    assert first.calls == [], "nodes of the first graph were called again"


@order_hint
def test_two_hundred_nodes_deep(make_graph):
    """A chain of 200 nodes is no problem, with recursion or without."""
    names, operands = long_way(200)
    operands[names[-1]] = (names[-2],)
    check(make_graph(weights=ones(operands), **operands), names[-1])
