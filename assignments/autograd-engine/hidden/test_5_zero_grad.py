"""``zero_grad()``, and what a second ``backward()`` does without and with it."""

import contextlib
import math

import pytest

from autograder.bridge import StudentError

MOST_LOOKS = 20_000
"""Even an engine that compares all nodes with all others stays far below; one that follows every path does not."""

pytestmark = [pytest.mark.concept("zero_grad and double backward"), pytest.mark.needs("__init__")]

kept_simplest = pytest.mark.kept("the simplest case, and the first to read")
kept_shapes = pytest.mark.kept("a shape of its own: who follows the order of a set passes some shapes by chance")
kept_numbers = pytest.mark.kept("a number or a graph at which some slip of the pen shows")
kept_sides = pytest.mark.kept("says which operand or which operation it is")
kept_whole = pytest.mark.kept("marks for the whole, whichever part of it is wrong")

NOTHING_ARRIVES = "the first call reaches no leaf\nSee topological order first: is the seed set?"


def arrives(grad):
    """Whether a gradient is a number that twice of it differs from: neither zero nor infinite."""
    return isinstance(grad, int | float) and math.isfinite(grad) and grad != 0


about_zero = pytest.mark.about("zero_grad")
about_both = pytest.mark.about("backward", "zero_grad")
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
def test_zero_grad_clears_the_node_itself(wired):
    """`zero_grad()` sets the gradient of the node it is called on to zero."""
    graph = with_gradients(wired(a="", b="a"))
    graph["b"].zero_grad()
    assert graph["b"].grad == 0, f"it is {graph['b'].grad}"


@about_zero
@everywhere
@kept_shapes
def test_zero_grad_clears_every_node_below(wired):
    """`zero_grad()` reaches every operand, on all levels and in all branches."""
    graph = with_gradients(wired(a="", b="", c="", d="ab", e="bc", f="de", g="f"))
    graph["g"].zero_grad()
    left = left_over(graph, "abcdefg")
    assert not left, f"{len(left)} of 7 nodes kept their gradient"


@about_zero
@everywhere
@kept_shapes
def test_zero_grad_on_shared_nodes(wired):
    """`zero_grad()` clears nodes that are used more than once, and ends."""
    graph = with_gradients(wired(a="", b="aa", c="bb", d="cb", e="da"))
    graph["e"].zero_grad()
    left = left_over(graph, "abcde")
    assert not left, f"{len(left)} of 5 nodes kept their gradient"


@about_zero
@everywhere
@kept_numbers
def test_zero_grad_clears_a_long_chain(wired):
    """`zero_grad()` reaches the leaf of a chain of 40 nodes."""
    names = [f"n{number}" for number in range(40)]
    graph = with_gradients(wired(n0="", **{name: (below,) for below, name in zip(names, names[1:], strict=False)}))
    graph["n39"].zero_grad()
    left = left_over(graph, names)
    assert not left, f"{len(left)} of 40 nodes kept their gradient"


@about_zero
@pytest.mark.hint("A gradient may be zero, and those below it not: do not stop there.")
def test_zero_grad_goes_on_below_a_node_that_is_zero_already(wired):
    """`zero_grad()` also clears nodes below one whose gradient is zero already."""
    graph = with_gradients(wired(a="", b="a", c="b", d="c"))
    graph["d"].grad = graph["c"].grad = 0.0
    graph["d"].zero_grad()
    left = left_over(graph, "abcd")
    assert not left, f"{len(left)} of 4 nodes kept their gradient"


@about_zero
@pytest.mark.hint("Set the gradient to 0.0: infinity times zero is not zero.")
def test_zero_grad_clears_any_gradient(wired):
    """`zero_grad()` also clears gradients that are infinite, no number any more, or very small."""
    for grad in (math.inf, -math.inf, math.nan, 1e300, 1e-9, -1e-9):
        graph = wired(a="", b="a", c="ab")
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
def test_zero_grad_on_nodes_with_equal_numbers(wired):
    """`zero_grad()` reaches every node, also where their numbers are equal."""
    operands = {"a": "", "b": "", "c": "a", "d": "b", "e": "cd", "f": "e"}
    graph = with_gradients(wired(data=dict.fromkeys(operands, 2.0), **operands))
    graph["f"].zero_grad()
    left = left_over(graph, operands)
    assert not left, f"{len(left)} of 6 nodes kept their gradient"


@about_zero
@pytest.mark.hint("Ask `visited` before you go into a node: otherwise the work doubles with every level.")
def test_zero_grad_goes_into_every_node_once(wired):
    """On a ladder of 16 shared levels, `zero_grad()` looks at its nodes, not at all of its 65,536 paths."""
    operands = {"n0": ()}
    for level in range(1, 17):
        operands[f"m{level}"] = (f"n{level - 1}",)
        operands[f"n{level}"] = (f"n{level - 1}", f"m{level}")
    graph = with_gradients(wired(**operands))
    looks = graph.watch(MOST_LOOKS)
    try:
        graph["n16"].zero_grad()
    except StudentError:
        if looks.count <= MOST_LOOKS:
            raise
    assert looks.count <= MOST_LOOKS, f"it looked at operands more than {MOST_LOOKS} times, for 33 nodes"


@about_zero
@pytest.mark.needs("__add__")
@pytest.mark.hint("Go down from the node through `_prev`: nodes that use it are not below it.")
def test_zero_grad_leaves_users_alone(Value, leaves):
    """`zero_grad()` on a node inside an expression does not touch the nodes that use it."""
    a, b, c = leaves(2.0, 3.0, 5.0)
    inner = a + b
    out = inner + c if isinstance(inner, Value) else inner
    if out is inner or set(inner._prev) != {a, b} or set(out._prev) != {inner, c}:
        return  # no graph to speak of, as forward says
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
def test_zero_grad_clears_nodes_that_hold_zero(wired):
    """`zero_grad()` clears nodes whose number is 0."""
    operands = {"a": "", "b": "a", "c": "ba"}
    graph = with_gradients(wired(data=dict.fromkeys(operands, 0.0), **operands))
    graph["c"].zero_grad()
    left = left_over(graph, "abc")
    assert not left, f"{len(left)} of 3 nodes kept their gradient"


@about_zero
@pytest.mark.hint("Go down from the node through `_prev`; leave all others alone.")
@kept_sides
def test_zero_grad_leaves_other_nodes_alone(wired):
    """`zero_grad()` does not touch nodes that the node does not depend on."""
    graph = with_gradients(wired(a="", b="", c="a", d="c", e="cb"))
    graph["c"].zero_grad()
    kept = graph.grads("bde")
    assert kept == [7, 7, 7], "a gradient outside was changed"


@about_zero
@pytest.mark.hint("Write to `grad` and to nothing else.")
@kept_sides
def test_zero_grad_changes_nothing_but_gradients(wired):
    """`zero_grad()` keeps the numbers and the graph."""
    graph = with_gradients(wired(data={"a": 0.123456789, "b": -2.7, "c": 1e-9}, a="", b="", c="ab"))
    before = graph.numbers()
    graph["c"].zero_grad()
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
def test_zero_grad_works_again_and_again(wired):
    """`zero_grad()` clears the same graph a second time."""
    graph = with_gradients(wired(a="", b="a", c="ba"))
    graph["c"].zero_grad()
    first = left_over(graph, "abc")
    with_gradients(graph)
    graph["c"].zero_grad()
    left = left_over(graph, "abc")
    assert len(left) <= len(first), f"{len(left)} of 3 nodes kept their gradient the second time"


@about_both
@pytest.mark.hint("Walk from the node `zero_grad` is called on; keep no order from an earlier call on another node.")
def test_zero_grad_after_a_backward_elsewhere(wired):
    """`zero_grad()` clears its own graph, whichever one `backward()` went through last."""
    graph, other = wired(a="", b="a", c="ba"), wired(x="", y="x")
    with contextlib.suppress(StudentError):
        other["y"].backward()
    with_gradients(graph)
    graph["c"].zero_grad()
    left = left_over(graph, "abc")
    assert not left, f"{len(left)} of 3 nodes kept their gradient"


@pytest.mark.about("backward")
@pytest.mark.hint("Start every call with a new `visited`; leave no marks on the nodes or on the class.")
@kept_numbers
def test_two_results_share_a_node_in_between(wired):
    """Two results over the same inner node can be sent back in turn, as often as you like."""
    graph = wired(a="", n="a", y="n", z="n")
    roots = "yzyyz"
    for root in roots:
        graph[root].backward()
    counts = {name: graph.calls.count(name) for name in "nyz"}
    assert counts["n"] == len(roots), f"after {len(roots)} calls, the node in between was called {counts['n']} times"
    assert (counts["y"], counts["z"]) == (3, 2), f"the results were called {counts['y']} and {counts['z']} times"


@pytest.mark.about("backward")
@pytest.mark.hint("Keep the graph after `backward`, and start every call with a new `visited`.")
@kept_sides
def test_a_second_backward_goes_through_the_graph_again(wired):
    """A second `backward()` calls every `_backward` once more."""
    graph = wired(a="", b="a", c="ba")
    graph["c"].backward()
    graph["c"].backward()
    counts = [graph.calls.count(name) for name in "bc"]
    assert counts == [2, 2], f"after two calls, two inner nodes were called {counts[0]} and {counts[1]} times"


@pytest.mark.about("backward")
@pytest.mark.hint("Set the seed at every call, and leave what the leaves have: clearing it is for `zero_grad`.")
@kept_whole
def test_a_second_backward_adds_to_the_leaves(wired):
    """Without `zero_grad()`, a second `backward()` adds to what the leaves have."""
    graph = wired(weights={"c": (1.0, 1.0)}, a="", b="", c="ab")
    graph["c"].backward()
    once = graph.grads("ab")
    assert all(map(arrives, once)), NOTHING_ARRIVES
    graph["c"].backward()
    twice = graph.grads("ab")
    assert twice == [2 * grad for grad in once], f"the gradients are {once} after one call, {twice} after two"


@pytest.mark.about("backward")
@pytest.mark.weight(2)
@pytest.mark.hint(
    "Either nodes in between keep their gradients too, or only leaves accumulate; the seed is 1 both times."
)
@kept_whole
def test_a_second_backward_on_a_deeper_graph(worked_example, conventions):
    """A second `backward()` accumulates in one of the two ways that the handout names."""
    graph = worked_example()
    graph["L"].backward()
    seed = graph["c"].grad / 5  # what the first call put on the result is another concept
    assert arrives(seed), NOTHING_ARRIVES
    graph["L"].backward()
    accepted = {"interior kept": [81, 61, 15], "leaves accumulate": [44, 34, 10]}
    grads = graph.grads("abc")
    right = [[seed * grad for grad in accepted[convention]] for convention in conventions.second_backward]
    assert grads in right, f"after two calls, the gradients of a, b and c are {grads}"


@pytest.mark.about("backward")
@pytest.mark.hint("Treat all nodes in between alike, with one operand or two: all keep gradients, or none does.")
@kept_numbers
def test_a_second_backward_treats_all_nodes_in_between_alike(wired, conventions):
    """A second `backward()` accumulates in one of the two ways, also where a node has one operand."""
    weights = {"p": (3.0, 2.0), "u": (2.0,), "L": (5.0, 7.0)}
    graph = wired(weights=weights, a="", b="", c="", p="ab", u="p", L="uc")
    graph["L"].backward()
    seed = graph["c"].grad / 7
    assert arrives(seed), NOTHING_ARRIVES
    once = graph.grads("abc")
    if once != [seed * grad for grad in (30, 20, 7)]:
        return  # the first call is another concept
    graph["L"].backward()
    accepted = {"interior kept": [120, 80, 14], "leaves accumulate": [60, 40, 14]}
    grads = graph.grads("abc")
    right = [[seed * grad for grad in accepted[convention]] for convention in conventions.second_backward]
    assert grads in right, f"after two calls, the gradients of a, b and c are {grads}"


@pytest.mark.about("backward")
@pytest.mark.needs("__add__", "__mul__")
@pytest.mark.hint("A second call treats all nodes in between alike, whichever operation made them.")
@kept_numbers
def test_a_second_backward_through_operators(leaves, pull):
    """With your own operators, too, a second `backward()` accumulates in one of the two ways."""

    def grads_after(send, again):
        a, b, c = leaves(2.0, 3.0, 1.0)
        out = (a * b + c) * (a + b)
        send(out)
        once = (a.grad, b.grad, c.grad)
        again(out)
        return once, (a.grad, b.grad, c.grad)

    try:  # what these operators give with the test's own traversal: a wrong one is another concept
        first, kept = grads_after(pull, lambda out: pull(out, keep=True))
        _, anew = grads_after(pull, pull)
        once, twice = grads_after(lambda out: out.backward(), lambda out: out.backward())
    except (StudentError, AttributeError, TypeError):
        return
    assert once != first or twice in (kept, anew), f"after one call the gradients are {once}, after two {twice}"


def _grown(leaves, *, in_between):
    """Gradients after ``backward()`` on an expression, part of which may have had a pass of its own before."""
    a, b, c = leaves(2.0, 3.0, 5.0)
    n = a + b
    m = n + c
    if set(n._prev) != {a, b} or set(m._prev) != {n, c}:
        return None  # no graph to speak of, as forward says
    if in_between:
        n.grad = m.grad = 0.0
        m.backward()
        m.zero_grad()
    y = m + n
    z = y + m
    for node in (a, b, c, n, m, y, z):
        node.grad = 0.0
    z.backward()
    return [a.grad, b.grad, c.grad]


@about_both
@pytest.mark.needs("__add__")
@pytest.mark.hint("An expression may grow after a pass: number no nodes anew, and keep no order from before.")
@kept_numbers
def test_an_expression_grows_after_a_backward(leaves):
    """What is built on an expression after `backward()` and `zero_grad()` gets the gradients it always would."""
    try:
        plain = _grown(leaves, in_between=False)
    except (StudentError, TypeError, AttributeError):
        return  # another concept
    grads = _grown(leaves, in_between=True)
    assert grads == plain, f"built at once, the gradients of a, b and c are {plain}; with a pass before, {grads}"


@pytest.mark.about("backward")
@pytest.mark.hint("Leave what the leaves have as it is, whatever it is, and let `_backward` add to it.")
@kept_numbers
def test_backward_adds_to_any_gradient_of_a_leaf(wired):
    """`backward()` adds to what a leaf has, be it negative or a number with many decimals."""
    for before in (-7.5, 0.123456789):
        graph = wired(weights={"c": (2.0, 2.0)}, a="", b="", c="ab")
        graph["c"].backward()
        plain = graph["a"].grad
        graph = wired(weights={"c": (2.0, 2.0)}, a="", b="", c="ab")
        graph["a"].grad = before
        graph["c"].backward()
        grad = graph["a"].grad
        assert grad == before + plain, f"it had {before}, is owed {plain}, and has {grad}"


@pytest.mark.about("backward")
@pytest.mark.hint("Gradients of leaves stay until `zero_grad` clears them.")
@kept_whole
def test_two_results_add_to_a_common_leaf(wired):
    """Two results that depend on the same leaf both add to its gradient."""
    graph = wired(weights={"c": (3.0, 2.0), "d": (1.0, 1.0)}, a="", b="", e="", c="ab", d="ae")
    graph["c"].backward()
    first = graph["a"].grad
    assert arrives(first), NOTHING_ARRIVES
    graph["d"].backward()
    both = graph["a"].grad
    assert both * 3 == first * 4, f"the common leaf has {first} after the first result, {both} after both"


@about_both
@pytest.mark.weight(2)
@pytest.mark.hint("After `zero_grad` every gradient below is zero, so `backward` starts afresh.")
@kept_numbers
def test_zero_grad_makes_backward_start_afresh(worked_example):
    """`backward()`, `zero_grad()` and `backward()` again give what one `backward()` gives."""
    graph = worked_example()
    graph["L"].backward()
    first = graph.grads("abc")
    assert any(map(arrives, first)), NOTHING_ARRIVES
    graph["L"].zero_grad()
    cleared = graph.grads(("a", "b", "c", "L"))
    assert cleared == [0, 0, 0, 0], f"after zero_grad, the gradients are {cleared}"
    graph["L"].backward()
    second = graph.grads("abc")
    assert second == first, f"the gradients are {first} first and {second} afterwards"
