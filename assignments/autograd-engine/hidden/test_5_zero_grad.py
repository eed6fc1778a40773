"""``zero_grad()``, and what a second ``backward()`` does without and with it."""

import pytest

pytestmark = [pytest.mark.concept("zero_grad and double backward"), pytest.mark.needs("__init__")]

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
    first = left_over(graph, "abc")
    with_gradients(graph)
    graph["c"].zero_grad()
    left = left_over(graph, "abc")
    assert len(left) <= len(first), f"{len(left)} of 3 nodes kept their gradient the second time"


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
@pytest.mark.hint("Set the seed at every call, and leave what the leaves have: clearing it is for `zero_grad`.")
def test_a_second_backward_adds_to_the_leaves(wired):
    """Without `zero_grad()`, a second `backward()` adds to what the leaves have."""
    graph = wired(weights={"c": (1.0, 1.0)}, a="", b="", c="ab")
    graph["c"].backward()
    graph["c"].backward()
    grads = graph.grads("ab")
    assert grads == [2, 2], f"after two calls, the gradients are {grads}"


@pytest.mark.about("backward")
@pytest.mark.weight(2)
@pytest.mark.hint(
    "Either nodes in between keep their gradients too, or only leaves accumulate; the seed is 1 both times."
)
def test_a_second_backward_on_a_deeper_graph(worked_example, conventions):
    """A second `backward()` accumulates in one of the two ways that the handout names."""
    graph = worked_example()
    graph["L"].backward()
    graph["L"].backward()
    accepted = {"interior kept": [81, 61, 15], "leaves accumulate": [44, 34, 10]}
    grads = graph.grads("abc")
    right = [accepted[convention] for convention in conventions.second_backward]
    assert grads in right, f"after two calls, the gradients of a, b and c are {grads}"


@pytest.mark.about("backward")
@pytest.mark.hint("Gradients of leaves stay until `zero_grad` clears them.")
def test_two_results_add_to_a_common_leaf(wired):
    """Two results that depend on the same leaf both add to its gradient."""
    graph = wired(weights={"c": (3.0, 2.0), "d": (1.0, 1.0)}, a="", b="", e="", c="ab", d="ae")
    graph["c"].backward()
    graph["d"].backward()
    assert graph["a"].grad == 4, f"it is {graph['a'].grad}"


@about_both
@pytest.mark.weight(2)
@pytest.mark.hint("After `zero_grad` every gradient below is zero, so `backward` starts afresh.")
def test_zero_grad_makes_backward_start_afresh(worked_example):
    """`backward()`, `zero_grad()` and `backward()` again give what one `backward()` gives."""
    graph = worked_example()
    graph["L"].backward()
    first = graph.grads("abc")
    assert any(first), "the first call reaches no leaf\nSee topological order first: is the seed set?"
    graph["L"].zero_grad()
    cleared = graph.grads(("a", "b", "c", "L"))
    assert cleared == [0, 0, 0, 0], f"after zero_grad, the gradients are {cleared}"
    graph["L"].backward()
    second = graph.grads("abc")
    assert second == first, f"the gradients are {first} first and {second} afterwards"
