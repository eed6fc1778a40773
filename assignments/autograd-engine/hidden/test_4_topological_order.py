"""``backward()``: the seed, and every node's ``_backward`` once, after all nodes that use it.

The graphs are wired by hand, so that this needs neither ``+`` nor ``*``. Any valid order is right.
"""

from collections import Counter

import pytest

from autograder.bridge import StudentError

MOST_LOOKS = 20_000
"""Even an engine that compares all nodes with all others stays far below; one that follows every path does not."""

pytestmark = [
    pytest.mark.concept("topological order"),
    pytest.mark.needs("__init__"),
    pytest.mark.about("backward"),
]

kept_simplest = pytest.mark.kept("the simplest case, and the first to read")
kept_shapes = pytest.mark.kept("a shape of its own: who follows the order of a set passes some shapes by chance")
kept_numbers = pytest.mark.kept("a number or a graph at which some slip of the pen shows")
kept_sides = pytest.mark.kept("says which operand or which operation it is")
kept_whole = pytest.mark.kept("marks for the whole, whichever part of it is wrong")

order_hint = pytest.mark.hint(
    "Sort first: visit depth-first, append a node after all its operands, then go through the list in reverse."
)


remember_hint = pytest.mark.hint("Remember the nodes you visited in a set, and visit none twice.")


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
        assert graph.too_early() is None, "a node passed its gradient on before all nodes that use it had done so"


@order_hint
@kept_simplest
def test_a_chain(wired):
    """Along a chain, each node comes after the one that uses it."""
    check(wired(a="", b="a", c="b", d="c", e="d"), "e")


@order_hint
@kept_shapes
def test_a_tree_reaches_all_branches(wired):
    """Both branches of a tree are reached, on the left and on the right."""
    check(wired(a="", b="", c="", d="", e="ab", f="cd", g="ef"), "g")


@order_hint
@kept_shapes
def test_a_diamond(wired):
    """A node with two users waits for both of them."""
    check(wired(a="", b="a", c="b", d="b", e="cd"), "e")


@order_hint
@kept_shapes
def test_a_short_and_a_long_way_to_the_same_node(wired):
    """A node with a near and a far user waits for the far one, on whichever side that is."""
    check(wired(a="", b="a", c="b", d="c", e="bd"), "e")
    check(wired(a="", b="a", c="b", d="c", e="db"), "e")


@order_hint
@kept_shapes
def test_two_nodes_that_cross(wired):
    """Two nodes with the same two users both come after both of them."""
    check(wired(a="", b="a", c="a", d="bc", e="cb", f="de"), "f")
    check(wired(a="", b="a", c="ab", d="cb", e="dc", f="ed"), "f")


@order_hint
def test_a_node_whose_user_is_found_late(wired):
    """A node that is met early, and has a user deep in another branch, waits for it."""
    check(wired(x="", n="x", p="n", q="p", r="q", s="nr", t="s"), "t")
    check(wired(x="", n="x", p="n", q="p", r="q", s="rn", t="s"), "t")
    check(wired(x="", m="x", n="xm", o="mn", p="no", q="pm", r="qn", s="ro"), "s")


@order_hint
@kept_numbers
def test_a_node_with_many_users(wired):
    """A node with six users, each further away than the last, waits for all of them."""
    check(wired(x="", n="x", p="n", q="pn", r="qn", s="rn", t="sn", u="tn"), "u")
    check(wired(x="", n="x", p="n", q="np", r="nq", s="nr", t="ns", u="nt"), "u")


@remember_hint
def test_the_same_node_twice_as_operand(wired):
    """A node that stands twice among the operands is called once."""
    check(wired(a="", b="a", c="bb", d="cc", e="dd"), "e", ordered=False)


@pytest.mark.weight(2)
@pytest.mark.hint("Remember visited nodes in a set: without it, the work doubles with every level.")
@kept_sides
def test_the_work_does_not_double_with_each_level(wired):
    """On a ladder of shared nodes the number of calls is that of the nodes, not that of the paths."""
    operands = {"n0": ()}
    for level in range(1, 11):
        operands[f"m{level}"] = (f"n{level - 1}",)
        operands[f"n{level}"] = (f"n{level - 1}", f"m{level}")
    check(wired(**operands), "n10", ordered=False)


@pytest.mark.hint("Ask `visited` before you go into a node: otherwise the work doubles with every level.")
def test_the_sort_goes_into_every_node_once(wired):
    """On a ladder of 16 shared levels, the sort looks at its nodes, not at all of its 65,536 paths."""
    operands = {"n0": ()}
    for level in range(1, 17):
        operands[f"m{level}"] = (f"n{level - 1}",)
        operands[f"n{level}"] = (f"n{level - 1}", f"m{level}")
    graph = wired(**operands)
    graph.leave_alone([name for name, below in operands.items() if below])
    looks = graph.watch(MOST_LOOKS)
    try:
        graph["n16"].backward()
    except StudentError:
        if looks.count <= MOST_LOOKS:
            raise
    assert looks.count <= MOST_LOOKS, f"it looked at operands more than {MOST_LOOKS} times, for 33 nodes"


@pytest.mark.hint("Only the graph decides the order: the numbers in the nodes say nothing about it.")
@kept_numbers
def test_the_order_has_nothing_to_do_with_the_numbers(wired):
    """The order is right whether numbers grow or fall towards the result."""
    operands = {"a": "", "b": "a", "c": "b", "d": "b", "e": "cd", "f": "ed"}
    for numbers in ((7.0, 6.0, 5.0, 4.0, 3.0, 2.0), (-3.0, 5.0, -7.0, 2.0, -11.0, 4.0)):
        check(wired(data=dict(zip(operands, numbers, strict=True)), **operands), "f")


@pytest.mark.hint("A branch whose gradient is zero ends there; the other branches go on.")
def test_a_zero_gradient_stops_its_own_branch_alone(wired):
    """Where one branch carries a gradient of zero, the other still gets its own."""
    for zero_first in (False, True):
        share = (0.0, 3.0) if zero_first else (3.0, 0.0)
        graph = wired(
            weights={"c": (2.0,), "d": (2.0,), "e": share, "f": (1.0,)}, a="", b="", c="a", d="b", e="cd", f="e"
        )
        graph["f"].backward()
        grad = graph["b" if zero_first else "a"].grad
        assert grad == 6, f"the leaf below the branch that is not zero gets {grad}"


@pytest.mark.hint("`backward` writes gradients; a step that changes numbers is not its business.")
@kept_numbers
def test_backward_changes_no_number(wired):
    """`backward()` keeps the numbers."""
    graph = wired(a="", b="", c="ab", d="cb")
    before = graph.numbers()
    graph["d"].backward()
    after = graph.numbers()
    assert after == before, f"the numbers were {before}, and are now {after}"


@pytest.mark.hint("Compare nodes by identity: equal numbers do not make two nodes the same.")
@kept_numbers
def test_nodes_with_equal_numbers_are_different_nodes(wired):
    """Nodes that hold the same number are still nodes of their own."""
    operands = {"a": "", "b": "", "c": "a", "d": "b", "e": "cd", "f": "ce", "g": "fd"}
    check(wired(data=dict.fromkeys(operands, 2.0), **operands), "g", ordered=False)


@pytest.mark.hint("Go down from the node `backward` was called on; leave all others alone.")
@kept_numbers
def test_only_nodes_below_are_called(wired):
    """`backward()` on a node inside a graph concerns what lies below that node, and nothing else."""
    graph = wired(a="", b="a", c="b", d="c", e="d", f="ab")
    graph["e"].grad = graph["f"].grad = 3.0
    check(graph, "c", ordered=False)
    grads = (graph["e"].grad, graph["f"].grad)
    assert grads == (3, 3), "a gradient outside was changed"


@pytest.mark.hint("Start every call with a new `visited` and a new `topo`: a default argument is made only once.")
@kept_sides
def test_a_second_graph_has_nothing_to_do_with_the_first(wired):
    """A backward pass does not call nodes of a graph that an earlier one went through."""
    first = wired(a="", b="a", c="b")
    check(first, "c", ordered=False)
    first.calls.clear()
    second = wired(a="", b="a", c="ab")
    check(second, "c", ordered=False)
    assert first.calls == [], "nodes of the first graph were called again"


@pytest.mark.hint("`self.grad = 1.0` comes before the first `_backward` is called.")
@kept_simplest
def test_the_seed_is_there_before_the_first_call(wired):
    """When the result's own `_backward` is called, its gradient is 1."""
    for number in (4.0, -3.0):
        graph = wired(data={"a": number, "c": number}, a="", b="a", c="b")
        graph.note_grad_of("c")
        graph["c"].backward()
        seed = graph.grads_at_call.get("c")
        assert seed == 1, f"where the result holds {graph['c'].data}, it is {seed}"


@pytest.mark.hint("Set the seed, `self.grad = 1.0`; do not add it to what is there.")
@kept_numbers
def test_the_seed_replaces_what_was_there(wired):
    """The seed is 1 whatever gradient the result had before."""
    for before in (5.0, -5.0, 0.5):
        graph = wired(a="", b="a", c="b")
        graph.note_grad_of("c")
        graph["c"].grad = before
        graph["c"].backward()
        seed = graph.grads_at_call.get("c")
        assert seed == 1, f"where the result had {before}, it is {seed}"
        assert graph["c"].grad == 1, f"where the result had {before}, afterwards it is {graph['c'].grad}"


@pytest.mark.hint("Only the node that `backward` is called on is seeded.")
@kept_sides
def test_only_the_result_is_seeded(wired):
    """No other node than the result gets a seed: a gradient comes from a node's users alone."""
    graph = wired(a="", b="a", c="b")
    graph["c"]._backward = lambda: None
    graph["b"]._backward = lambda: None
    graph["c"].backward()
    grads = graph.grads("abc")
    assert grads == [0, 0, 1], f"with nodes that pass nothing on, the gradients are {grads}"


@pytest.mark.hint("The seed is set even where there is nothing to pass on.")
@kept_numbers
def test_a_leaf_is_its_own_result(wired):
    """`backward()` on a leaf makes its gradient 1."""
    a = wired(a="", b="a")["a"]
    number = a.data
    a.backward()
    assert a.grad == 1, f"it is {a.grad}"
    assert a.data == number, f"its number is now {a.data}"


@pytest.mark.hint("Set the seed, `self.grad = 1.0`, on a leaf too; do not add it to what is there.")
@kept_numbers
def test_the_seed_replaces_what_a_leaf_had(wired):
    """`backward()` on a leaf makes its gradient 1, whatever it was before."""
    a = wired(a="", b="a")["a"]
    a.grad = 5.0
    a.backward()
    assert a.grad == 1, f"it is {a.grad}"


@pytest.mark.hint("Whether a node is visited has nothing to do with its number: 0.0 is a number like any other.")
@kept_numbers
def test_nodes_that_hold_zero_are_nodes_as_well(wired):
    """`backward()` goes through nodes whose number is 0."""
    operands = {"a": "", "b": "a", "c": "b", "d": "cb"}
    check(wired(data=dict.fromkeys(operands, 0.0), **operands), "d", ordered=False)


@pytest.mark.hint("Pass a gradient on however small it is: only exactly zero may be left out.")
@kept_numbers
def test_small_gradients_flow(wired):
    """A very small gradient is passed on like any other."""
    graph = wired(weights={"b": (3.0,), "c": (1e-9,)}, a="", b="a", c="b")
    graph["c"].backward()
    grad = graph["a"].grad
    assert grad != 0, "the gradient of the leaf is 0"
    assert abs(grad) < 1, f"the gradient of the leaf is {grad}"


@pytest.mark.hint("Pass a gradient on whatever it is: negative and large ones, too.")
@kept_numbers
def test_negative_and_large_gradients_flow(wired):
    """A negative or a very large gradient is passed on like any other."""
    for weight in (-2.0, 1e6, -1e6):
        graph = wired(weights={"b": (3.0,), "c": (weight,)}, a="", b="a", c="b")
        graph["c"].backward()
        grad = graph["a"].grad
        assert grad == 3 * weight, f"the gradient of the leaf is {grad}"


@order_hint
@kept_shapes
def test_two_hundred_nodes_deep(wired):
    """A chain of 200 nodes is no problem, with recursion or without."""
    names = [f"n{number}" for number in range(200)]
    graph = wired(n0="", **{name: (below,) for below, name in zip(names, names[1:], strict=False)})
    graph.leave_alone(names[1:-1])
    graph["n199"].backward()
    assert graph.calls == ["n199"], f"the result's own _backward was called {len(graph.calls)} times"


@pytest.mark.weight(2)
@order_hint
@kept_whole
def test_gradients_flow_only_when_they_are_complete(wired):
    """A node passes its gradient on only when it has all of it."""
    for far_first in (False, True):
        users = ("c", "b") if far_first else ("b", "c")
        graph = wired(weights={"b": (3.0,), "c": (2.0,), "d": (1.0, 1.0)}, a="", b="a", c="b", d=users)
        graph["d"].backward()
        grad = graph["a"].grad
        assert grad == 9, f"with a near and a far user above it, a leaf's gradient is {grad}"


@pytest.mark.weight(2)
@order_hint
@kept_whole
def test_the_worked_example(worked_example):
    """The order is right for the shape of the handout's worked example."""
    graph = worked_example()
    graph["L"].backward()
    grads = graph.grads("abc")
    assert grads == [22, 17, 5], f"the gradients of a, b and c are {grads}"
