"""``zero_grad()``, and what a second ``backward()`` does without and with it."""

import pytest

pytestmark = [pytest.mark.concept("zero_grad and double backward"), pytest.mark.needs("__init__")]

about_zero = pytest.mark.about("zero_grad")
about_both = pytest.mark.about("backward", "zero_grad")
both_operators = pytest.mark.needs("__add__", "__mul__")
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
def test_zero_grad_clears_the_node_itself(wired):
    """`zero_grad()` sets the gradient of the node it is called on to zero."""
    graph = with_gradients(wired(a="", b="a"))
    graph["b"].zero_grad()
    assert graph["b"].grad == 0, f"it is {graph['b'].grad}"


@about_zero
@everywhere
def test_zero_grad_clears_every_node_below(wired):
    """`zero_grad()` reaches every operand, on all levels and in all branches."""
    graph = with_gradients(wired(a="", b="", c="", d="ab", e="bc", f="de", g="f"))
    graph["g"].zero_grad()
    left = left_over(graph, "abcdefg")
    assert not left, f"{len(left)} of 7 nodes kept their gradient"


@about_zero
@everywhere
def test_zero_grad_on_shared_nodes(wired):
    """`zero_grad()` clears nodes that are used more than once, and ends."""
    graph = with_gradients(wired(a="", b="aa", c="bb", d="cb", e="da"))
    graph["e"].zero_grad()
    left = left_over(graph, "abcde")
    assert not left, f"{len(left)} of 5 nodes kept their gradient"


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
@pytest.mark.hint("Go down from the node through `_prev`; leave all others alone.")
def test_zero_grad_leaves_other_nodes_alone(wired):
    """`zero_grad()` does not touch nodes that the node does not depend on."""
    graph = with_gradients(wired(a="", b="", c="a", d="c", e="cb"))
    graph["c"].zero_grad()
    kept = graph.grads("bde")
    assert kept == [7, 7, 7], "a gradient outside was changed"


@about_zero
@pytest.mark.hint("Write to `grad` and to nothing else.")
def test_zero_grad_changes_nothing_but_gradients(wired):
    """`zero_grad()` keeps the numbers and the graph."""
    graph = with_gradients(wired(a="", b="", c="ab"))
    graph["c"].zero_grad()
    numbers = [graph[name].data for name in "abc"]
    assert numbers == [2, 3, 4], f"the numbers are now {numbers}"
    assert set(graph["c"]._prev) == {graph["a"], graph["b"]}, "the operands are gone"
    assert graph.calls == [], "a _backward was called"


@about_zero
@everywhere
def test_zero_grad_on_a_leaf(Value):
    """`zero_grad()` works on a leaf."""
    a = Value(3.0)
    a.grad = 7.0
    a.zero_grad()
    assert (a.grad, a.data) == (0, 3), f"grad and data are {a.grad} and {a.data}"


@about_zero
@pytest.mark.hint("Start every call with a new `visited`: a default argument is made only once.")
def test_zero_grad_works_again_and_again(wired):
    """`zero_grad()` clears the same graph a second time."""
    graph = with_gradients(wired(a="", b="a", c="ba"))
    graph["c"].zero_grad()
    with_gradients(graph)
    graph["c"].zero_grad()
    left = left_over(graph, "abc")
    assert not left, f"{len(left)} of 3 nodes kept their gradient the second time"


@pytest.mark.about("backward")
@pytest.mark.hint("Keep the graph after `backward`, and start every call with a new `visited`.")
def test_a_second_backward_goes_through_the_graph_again(wired):
    """A second `backward()` calls every `_backward` once more."""
    graph = wired(a="", b="a", c="ba")
    graph["c"].backward()
    graph["c"].backward()
    counts = [graph.calls.count(name) for name in "bc"]
    assert counts == [2, 2], f"after two calls, two inner nodes were called {counts[0]} and {counts[1]} times"


@pytest.mark.about("backward")
@pytest.mark.needs("__add__")
@pytest.mark.hint("Do not clear the leaves in `backward`; that is for `zero_grad`.")
def test_a_second_backward_adds_to_the_leaves(Value):
    """Without `zero_grad()`, a second `backward()` adds to what the leaves have."""
    a, b = Value(2.0), Value(3.0)
    out = a + b
    out.backward()
    out.backward()
    assert (a.grad, b.grad) == (2, 2), f"after two calls, the gradients are {a.grad} and {b.grad}"


@pytest.mark.about("backward")
@both_operators
@pytest.mark.weight(2)
@pytest.mark.hint(
    "Either nodes in between keep their gradients too, or only leaves accumulate; the seed is 1 both times."
)
def test_a_second_backward_on_a_deeper_graph(Value, conventions):
    """A second `backward()` accumulates in one of the two ways that the handout names."""
    a, b, c = Value(2.0), Value(3.0), Value(1.0)
    out = (a * b + c) * (a + b)
    out.backward()
    out.backward()
    accepted = {"interior kept": (81, 61, 15), "leaves accumulate": (44, 34, 10)}
    grads = (a.grad, b.grad, c.grad)
    right = [accepted[convention] for convention in conventions.second_backward]
    assert grads in right, f"after two calls, the gradients are {grads}"


@pytest.mark.about("backward")
@both_operators
@pytest.mark.hint("Gradients of leaves stay until `zero_grad` clears them.")
def test_two_results_add_to_a_common_leaf(Value):
    """Two results that depend on the same leaf both add to its gradient."""
    a = Value(2.0)
    first, second = a * Value(3.0), a + Value(4.0)
    first.backward()
    second.backward()
    assert a.grad == 4, f"it is {a.grad}"


@about_both
@both_operators
@pytest.mark.weight(2)
@pytest.mark.hint("After `zero_grad` every gradient below is zero, so `backward` starts afresh.")
def test_zero_grad_makes_backward_start_afresh(Value):
    """`backward()`, `zero_grad()` and `backward()` again give what one `backward()` gives."""
    a, b, c = Value(2.0), Value(3.0), Value(1.0)
    out = (a * b + c) * (a + b)
    for _ in range(2):
        out.backward()
        grads = (a.grad, b.grad, c.grad)
        assert grads == (22, 17, 5), f"the gradients are {grads}"
        out.zero_grad()
        grads = (a.grad, b.grad, c.grad, out.grad)
        assert grads == (0, 0, 0, 0), f"after zero_grad, they are {grads}"
