"""``zero_grad()``: gradients are set by hand, and must be zero afterwards.

What it does together with ``backward()`` is tested in the next file, and counts for more.
"""

import contextlib
import math

import pytest
from recording_graph import sets_operands

from autograder.bridge import StudentError

MOST_VISITS = 20_000
"""Even an engine that compares all nodes with all others stays far below; one that follows every path does not."""

pytestmark = [
    pytest.mark.concept("zero_grad and double backward"),
    pytest.mark.needs("__init__"),
    pytest.mark.weight(0.2),  # together, about a quarter of the concept
]

kept_simplest = pytest.mark.redundant_ok("the simplest case, and the first to read")
kept_shapes = pytest.mark.redundant_ok(
    "a shape of its own: who follows the order of a set passes some shapes by chance"
)
kept_numbers = pytest.mark.redundant_ok("a number or a graph at which some slip of the pen shows")
kept_sides = pytest.mark.redundant_ok("says which operand or which operation it is")

about_zero = pytest.mark.subject("zero_grad")
about_both = pytest.mark.subject("backward", "zero_grad")
everywhere = pytest.mark.hint("Walk the graph as in `backward`, and set every node's `grad` to 0.0.")


def with_gradients(graph, value=7.0):
    """Give every node of a wired graph a gradient."""
    graph.set_grads(value)
    return graph


def left_over(graph, names):
    """Those of ``names`` whose gradient is not zero."""
    return [grad for grad in graph.grads(names) if grad != 0]


@about_zero
@everywhere
@kept_simplest
def test_zero_grad_clears_the_node_itself(make_graph):
    """`zero_grad()` sets the gradient of the node it is called on to zero."""
    graph = with_gradients(make_graph(a="", b="a"))
    graph["b"].zero_grad()
    assert graph["b"].grad == 0, f"it is {graph['b'].grad}"


@about_zero
@everywhere
@kept_shapes
def test_zero_grad_clears_every_node_below(make_graph, both_ways):
    """`zero_grad()` reaches every operand, on all levels and in all branches."""

    def trial(mirrored):
        graph = with_gradients(make_graph(mirrored=mirrored, a="", b="", c="", d="ab", e="bc", f="de", g="f"))
        graph["g"].zero_grad()
        left = left_over(graph, "abcdefg")
        assert not left, f"{len(left)} of 7 nodes kept their gradient"

    both_ways(trial)


@about_zero
@everywhere
@kept_shapes
def test_zero_grad_on_shared_nodes(make_graph, both_ways):
    """`zero_grad()` clears nodes that are used more than once, and ends."""

    def trial(mirrored):
        graph = with_gradients(make_graph(mirrored=mirrored, a="", b="aa", c="bb", d="cb", e="da"))
        graph["e"].zero_grad()
        left = left_over(graph, "abcde")
        assert not left, f"{len(left)} of 5 nodes kept their gradient"

    both_ways(trial)


@about_zero
@everywhere
@kept_numbers
def test_zero_grad_clears_small_and_large_graphs(make_graph):
    """`zero_grad()` reaches every node of graphs of 20, 60 and 200 nodes."""
    for size in (20, 60, 200):
        names = [f"n{number}" for number in range(size)]
        operands = {"n0": (), **{name: (below,) for below, name in zip(names, names[1:], strict=False)}}
        operands[names[-1]] = (names[-2], names[size // 2])
        graph = with_gradients(make_graph(**operands))
        graph[names[-1]].zero_grad()
        left = left_over(graph, names)
        assert not left, f"{len(left)} of {size} nodes kept their gradient"


@about_zero
@everywhere
@kept_numbers
def test_zero_grad_clears_a_wide_graph(make_graph):
    """`zero_grad()` reaches all of 25 nodes that use the same one, and what lies below them."""
    operands = {"x": (), "n": ("x",), "t0": ("n",)}
    for user in range(1, 26):
        operands |= {f"x{user}": (), f"u{user}": ("n", f"x{user}"), f"t{user}": (f"t{user - 1}", f"u{user}")}
    graph = with_gradients(make_graph(**operands))
    graph["t25"].zero_grad()
    left = left_over(graph, operands)
    assert not left, f"{len(left)} of {len(operands)} nodes kept their gradient"


@about_zero
@pytest.mark.hint("A gradient may be zero, and those below it not: do not stop there.")
@kept_numbers
def test_zero_grad_goes_on_below_a_node_that_is_zero_already(make_graph):
    """`zero_grad()` also clears nodes below one whose gradient is zero already."""
    graph = with_gradients(make_graph(a="", b="a", c="b", d="c"))
    graph["d"].grad = graph["c"].grad = 0.0
    graph["d"].zero_grad()
    left = left_over(graph, "abcd")
    assert not left, f"{len(left)} of 4 nodes kept their gradient"


@about_zero
@pytest.mark.hint("Set the gradient to 0.0: infinity times zero is not zero.")
def test_zero_grad_clears_any_gradient(make_graph):
    """`zero_grad()` also clears gradients that are infinite, no number any more, or very small."""
    for grad in (math.inf, -math.inf, math.nan, 1e300, 1e-9, -1e-9):
        graph = make_graph(a="", b="a", c="ab")
        try:
            with_gradients(graph, grad)
        except StudentError:
            continue  # an engine may refuse a gradient that is no finite number, or be unable to hold it
        graph["c"].zero_grad()
        left = left_over(graph, "abc")
        assert not left, f"a gradient of {grad} became {left[0]}"


@about_zero
@pytest.mark.hint("Compare nodes by identity: equal numbers do not make two nodes the same.")
@kept_numbers
def test_zero_grad_on_nodes_with_equal_numbers(make_graph):
    """`zero_grad()` reaches every node, also where their numbers are equal."""
    operands = {"a": "", "b": "", "c": "a", "d": "b", "e": "cd", "f": "e"}
    graph = with_gradients(make_graph(data=dict.fromkeys(operands, 2.0), **operands))
    graph["f"].zero_grad()
    left = left_over(graph, operands)
    assert not left, f"{len(left)} of 6 nodes kept their gradient"


@about_zero
@pytest.mark.hint("Ask `visited` before you go into a node: otherwise the work doubles with every level.")
def test_zero_grad_goes_into_every_node_once(make_graph):
    """On a ladder of 16 shared levels, `zero_grad()` looks at its nodes, not at all of its 65,536 paths."""
    operands = {"n0": ()}
    for level in range(1, 17):
        operands[f"m{level}"] = (f"n{level - 1}",)
        operands[f"n{level}"] = (f"n{level - 1}", f"m{level}")
    graph = with_gradients(make_graph(**operands))
    looks = graph.count_iterations(MOST_VISITS)
    try:
        graph["n16"].zero_grad()
    except StudentError:
        if looks.count <= MOST_VISITS:
            raise
    assert looks.count <= MOST_VISITS, f"it looked at operands more than {MOST_VISITS} times, for 33 nodes"
    left = left_over(graph, operands)
    assert not left, f"{len(left)} of 33 nodes kept their gradient"


@about_zero
@pytest.mark.needs("__add__")
@pytest.mark.hint("Go down from the node through `_prev`: nodes that use it are not below it.")
def test_zero_grad_leaves_users_alone(Value, leaves, blocked_by):
    """`zero_grad()` on a node inside an expression does not touch the nodes that use it."""

    def make():
        a, b, c = leaves(2.0, 3.0, 5.0)
        inner = a + b
        return a, b, c, inner, inner + c if isinstance(inner, Value) else inner

    a, b, c, inner, out = make()
    if out is inner or set(inner._prev) != {a, b} or set(out._prev) != {inner, c}:
        blocked_by("__add__")
    a, b, c, inner, out = make()  # anew: that something is still there when it is read again is another test
    a.grad = b.grad = c.grad = inner.grad = out.grad = 7.0
    operations = (inner._op, a._op)
    inner.zero_grad()
    assert (out.grad, c.grad) == (7, 7), f"the result and its other operand had 7, and now {out.grad} and {c.grad}"
    cleared = (inner.grad, a.grad, b.grad)
    assert cleared == (0, 0, 0), f"the node itself and its operands had 7, and now {cleared}"
    assert (inner._op, a._op) == operations, "an _op is another one now"


@about_zero
@pytest.mark.hint("Whether a node is visited has nothing to do with its number: 0.0 is a number like any other.")
@kept_numbers
def test_zero_grad_clears_nodes_that_hold_zero(make_graph):
    """`zero_grad()` clears nodes whose number is 0."""
    operands = {"a": "", "b": "a", "c": "ba"}
    graph = with_gradients(make_graph(data=dict.fromkeys(operands, 0.0), **operands))
    graph["c"].zero_grad()
    left = left_over(graph, "abc")
    assert not left, f"{len(left)} of 3 nodes kept their gradient"


@about_zero
@pytest.mark.hint("Go down from the node through `_prev`; leave all others alone.")
@kept_sides
def test_zero_grad_leaves_other_nodes_alone(make_graph):
    """`zero_grad()` does not touch nodes that the node does not depend on."""
    graph = with_gradients(make_graph(a="", b="", c="a", d="c", e="cb"))
    graph["c"].zero_grad()
    left = left_over(graph, "ac")
    assert not left, f"{len(left)} of 2 nodes below kept their gradient"
    kept = graph.grads("bde")
    assert kept == [7, 7, 7], "a gradient outside was changed"


@about_zero
@pytest.mark.hint(
    "Walk from the node through `_prev` and through nothing else: whoever sets it has changed the graph."
)
@pytest.mark.redundant_ok("the handout says that `_prev` is followed, whoever set it")
def test_zero_grad_follows_prev(student, Value):
    """`zero_grad()` goes to the nodes that `_prev` holds at that moment, whoever put them there."""
    a, b, c = nodes = student.make_all(Value, [2.0, 3.0, 5.0])
    if not all([sets_operands(student, b, a), sets_operands(student, c, b)]):
        return  # it may refuse; then all other tests make their graphs with `+`
    student.set_attributes((node, "grad", 7.0) for node in nodes)
    c.zero_grad()
    left = [grad for grad in student.get_attributes(nodes, "grad") if grad != 0]
    assert not left, f"in a chain of three, {len(left)} nodes kept their gradient"


@about_zero
@pytest.mark.hint("Write to `grad` and to nothing else.")
@kept_sides
def test_zero_grad_changes_nothing_but_gradients(make_graph):
    """`zero_grad()` keeps the numbers and the graph."""
    graph = with_gradients(make_graph(data={"a": 0.123456789, "b": -2.7, "c": 1e-9}, a="", b="", c="ab"))
    before = graph.numbers()
    graph["c"].zero_grad()
    left = left_over(graph, "abc")
    assert not left, f"{len(left)} of 3 nodes kept their gradient"
    after = graph.numbers()
    assert after == before, f"the numbers were {before}, and are now {after}"
    assert set(graph["c"]._prev) == {graph["a"], graph["b"]}, "the operands are gone"
    assert graph.calls == [], "a _backward was called"


@about_zero
@everywhere
def test_zero_grad_on_a_leaf(Value):
    """`zero_grad()` works on a leaf."""
    a = Value(3.0)
    number = a.data
    a.grad = 7.0
    a.zero_grad()
    assert (a.grad, a.data) == (0, number), f"grad and data are {a.grad} and {a.data}"


@about_zero
@pytest.mark.hint("Start every call with a new `visited`: a default argument is made only once.")
@kept_sides
def test_zero_grad_works_again_and_again(make_graph):
    """`zero_grad()` clears the same graph a second time."""
    graph = with_gradients(make_graph(a="", b="a", c="ba"))
    graph["c"].zero_grad()
    left = left_over(graph, "abc")
    assert not left, f"{len(left)} of 3 nodes kept their gradient the first time"
    with_gradients(graph)
    graph["c"].zero_grad()
    left = left_over(graph, "abc")
    assert not left, f"{len(left)} of 3 nodes kept their gradient the second time"


@about_both
@pytest.mark.hint("Walk from the node `zero_grad` is called on; keep no order from an earlier call on another node.")
def test_zero_grad_after_a_backward_elsewhere(make_graph):
    """`zero_grad()` clears its own graph, whichever one `backward()` went through last."""
    graph, other = make_graph(a="", b="a", c="ba"), make_graph(x="", y="x")
    with contextlib.suppress(StudentError):  # whether it works is another concept
        other["y"].backward()
    with_gradients(graph)
    graph["c"].zero_grad()
    left = left_over(graph, "abc")
    assert not left, f"{len(left)} of 3 nodes kept their gradient"
