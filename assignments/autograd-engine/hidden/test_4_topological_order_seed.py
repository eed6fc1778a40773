"""``backward()``: the 1 that it starts from, and gradients that flow from there to the leaves."""

import pytest

pytestmark = [
    pytest.mark.concept("topological order"),
    pytest.mark.needs("__init__"),
    pytest.mark.subject("backward"),
]

kept_simplest = pytest.mark.redundant_ok("the simplest case, and the first to read")
kept_numbers = pytest.mark.redundant_ok("a number or a graph at which some slip of the pen shows")
kept_sides = pytest.mark.redundant_ok("says which operand or which operation it is")
kept_whole = pytest.mark.redundant_ok("marks for the whole, whichever part of it is wrong")

order_hint = pytest.mark.hint(
    "Sort first: visit depth-first, append a node after all its operands, then go through the list in reverse."
)


@pytest.mark.hint("`self.grad = 1.0` comes before the first `_backward` is called.")
@kept_simplest
def test_the_seed_is_there_before_the_first_call(make_graph):
    """When the result's own `_backward` is called, its gradient is 1."""
    for number in (4.0, -3.0):
        graph = make_graph(data={"a": number, "c": number}, a="", b="a", c="b")
        graph.note_grad_of("c")
        graph["c"].backward()
        found = graph.grads_at_call("c")
        assert found, "the result's own _backward is not called"
        seed = found[-1]
        assert seed == 1, f"where the result holds {graph['c'].data}, it is {seed}"


@pytest.mark.hint("Set the seed, `self.grad = 1.0`; do not add it to what is there.")
@kept_numbers
def test_the_seed_replaces_what_was_there(make_graph):
    """The seed is 1 whatever gradient the result had before."""
    for before in (5.0, -5.0, 0.5):
        graph = make_graph(a="", b="a", c="b")
        graph.note_grad_of("c")
        graph["c"].grad = before
        graph["c"].backward()
        found = graph.grads_at_call("c")
        assert found, "the result's own _backward is not called"
        seed = found[-1]
        assert seed == 1, f"where the result had {before}, it is {seed}"
        assert graph["c"].grad == 1, f"where the result had {before}, afterwards it is {graph['c'].grad}"


@pytest.mark.hint("Only the node that `backward` is called on is seeded.")
@kept_sides
def test_only_the_result_is_seeded(make_graph):
    """No other node than the result gets a seed: a gradient comes from a node's users alone."""
    graph = make_graph(a="", b="a", c="b")
    graph.make_passing_nothing("bc")
    graph["c"].backward()
    grads = graph.grads("abc")
    assert grads == [0, 0, 1], f"with nodes that pass nothing on, the gradients are {grads}"


@pytest.mark.hint("The seed is set even where there is nothing to pass on.")
@kept_numbers
def test_a_leaf_is_its_own_result(make_graph):
    """`backward()` on a leaf makes its gradient 1."""
    a = make_graph(a="", b="a")["a"]
    number = a.data
    a.backward()
    assert a.grad == 1, f"it is {a.grad}"
    assert a.data == number, f"its number is now {a.data}"


@pytest.mark.hint("Set the seed, `self.grad = 1.0`, on a leaf too; do not add it to what is there.")
@kept_numbers
def test_the_seed_replaces_what_a_leaf_had(make_graph):
    """`backward()` on a leaf makes its gradient 1, whatever it was before."""
    a = make_graph(a="", b="a")["a"]
    a.grad = 5.0
    a.backward()
    assert a.grad == 1, f"it is {a.grad}"


@pytest.mark.hint("`backward` writes gradients; a step that changes numbers is not its business.")
@kept_numbers
def test_backward_changes_no_number(make_graph):
    """`backward()` keeps the numbers and the graph."""
    graph = make_graph(weights={"c": (2.0, 3.0), "d": (5.0, 7.0)}, a="", b="", c="ab", d="cb")
    before = graph.numbers()
    graph["d"].backward()
    assert graph.grads("a") != [0], "no gradient reaches the leaves"
    after = graph.numbers()
    assert after == before, f"the numbers were {before}, and are now {after}"
    assert set(graph["d"]._prev) == {graph["c"], graph["b"]}, "the operands are gone"


@pytest.mark.hint("A branch whose gradient is zero ends there; the other branches go on.")
def test_a_zero_gradient_stops_its_own_branch_alone(make_graph, both_ways):
    """Where one branch carries a gradient of zero, the other still gets its own."""

    def trial(mirrored):
        shape = {"a": "", "b": "", "c": "a", "d": "b", "e": "cd", "f": "e"}
        graph = make_graph(
            weights={"c": (2.0,), "d": (2.0,), "e": (0.0, 3.0), "f": (1.0,)}, mirrored=mirrored, **shape
        )
        graph["f"].backward()
        grad = graph["b"].grad
        assert grad == 6, f"the leaf below the branch that is not zero gets {grad}"

    both_ways(trial)


@pytest.mark.hint("Pass a gradient on however small it is: only exactly zero may be left out.")
@kept_numbers
def test_small_gradients_flow(make_graph):
    """A very small gradient is passed on like any other."""
    for weight in (1e-9, -1e-12, 1e-30):
        graph = make_graph(weights={"b": (3.0,), "c": (weight,)}, a="", b="a", c="b")
        graph["c"].backward()
        grad = graph["a"].grad
        assert grad != 0, f"where the way down multiplies by {weight}, the gradient of the leaf is 0"
        assert abs(grad) < 1, f"the gradient of the leaf is {grad}"


@pytest.mark.hint("Pass a gradient on whatever it is: negative and large ones, too.")
@kept_numbers
def test_negative_and_large_gradients_flow(make_graph):
    """A negative or a very large gradient is passed on like any other."""
    for weight in (-2.0, 1e6, -1e6, 1e30):
        graph = make_graph(weights={"b": (3.0,), "c": (weight,)}, a="", b="a", c="b")
        graph["c"].backward()
        grad = graph["a"].grad
        assert grad == 3 * weight, f"the gradient of the leaf is {grad}"


@pytest.mark.weight(3)
@order_hint
@kept_whole
def test_gradients_flow_only_when_they_are_complete(make_graph, both_ways):
    """A node passes its gradient on only when it has all of it."""

    def trial(mirrored):
        weights = {"b": (3.0,), "c": (2.0,), "d": (1.0, 1.0)}
        graph = make_graph(weights=weights, mirrored=mirrored, a="", b="a", c="b", d="bc")
        graph["d"].backward()
        grad = graph["a"].grad
        assert grad == 9, f"with a near and a far user above it, a leaf's gradient is {grad}"

    both_ways(trial)


@order_hint
@kept_whole
def test_the_worked_example(worked_example, both_ways):
    """The order is right for the shape of the handout's worked example."""

    def trial(mirrored):
        graph = worked_example(mirrored)
        graph["L"].backward()
        grads = graph.grads("abc")
        assert grads == [22, 17, 5], f"the gradients of a, b and c are {grads}"

    both_ways(trial)
