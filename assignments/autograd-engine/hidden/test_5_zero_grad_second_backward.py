"""A second ``backward()``, without ``zero_grad()`` and with it."""

import pytest
from drawn_programs import draw_programs, run_drawn, run_program
from number_checks import close, is_finite_and_nonzero

from autograder.bridge import StudentError

pytestmark = [pytest.mark.concept("zero_grad and double backward"), pytest.mark.needs("__init__")]

kept_numbers = pytest.mark.redundant_ok("a number or a graph at which some slip of the pen shows")
kept_sides = pytest.mark.redundant_ok("says which operand or which operation it is")
kept_whole = pytest.mark.redundant_ok("marks for the whole, whichever part of it is wrong")

about_backward = pytest.mark.subject("backward")
about_both = pytest.mark.subject("backward", "zero_grad")

walks_again = pytest.mark.hint(
    "A walk uses nothing up and leaves no marks: operands, and what `_backward` needs, are there for the next one."
)

NOTHING_ARRIVES = "the first call reaches no leaf\nSee topological order first: is the seed set?"


@about_backward
@pytest.mark.hint("Start every call with a new `visited`; leave no marks on the nodes or on the class.")
@kept_numbers
def test_two_results_share_a_node_in_between(make_graph):
    """Two results over the same inner node can be sent back in turn, as often as you like."""
    graph = make_graph(weights={"n": (1.0,), "y": (1.0,), "z": (1.0,)}, a="", n="a", y="n", z="n")
    roots = "yzyyz"
    for root in roots:
        graph[root].backward()
    assert is_finite_and_nonzero(graph["a"].grad), NOTHING_ARRIVES
    counts = {name: graph.calls.count(name) for name in "nyz"}
    assert counts["n"] == len(roots), f"after {len(roots)} calls, the node in between was called {counts['n']} times"
    assert (counts["y"], counts["z"]) == (3, 2), f"the results were called {counts['y']} and {counts['z']} times"


@about_backward
@pytest.mark.hint("Keep the graph after `backward`, and start every call with a new `visited`.")
@kept_sides
def test_a_second_backward_goes_through_the_graph_again(make_graph):
    """A second `backward()` calls every `_backward` once more."""
    graph = make_graph(weights={"b": (1.0,), "c": (1.0, 1.0)}, a="", b="a", c="ba")
    graph["c"].backward()
    assert is_finite_and_nonzero(graph["a"].grad), NOTHING_ARRIVES
    graph["c"].backward()
    counts = [graph.calls.count(name) for name in "bc"]
    assert counts == [2, 2], f"after two calls, two inner nodes were called {counts[0]} and {counts[1]} times"


@about_backward
@pytest.mark.hint("Set the seed at every call, and leave what the leaves have: clearing it is for `zero_grad`.")
@kept_whole
def test_a_second_backward_adds_to_the_leaves(make_graph):
    """Without `zero_grad()`, a second `backward()` adds to what the leaves have."""
    graph = make_graph(weights={"c": (1.0, 1.0)}, a="", b="", c="ab")
    graph["c"].backward()
    once = graph.grads("ab")
    assert all(map(is_finite_and_nonzero, once)), NOTHING_ARRIVES
    graph["c"].backward()
    twice = graph.grads("ab")
    assert twice == [2 * grad for grad in once], f"the gradients are {once} after one call, {twice} after two"


@about_backward
@pytest.mark.weight(2)
@pytest.mark.hint(
    "Either nodes in between keep their gradients too, or only leaves accumulate; the seed is 1 both times."
)
@kept_whole
def test_a_second_backward_on_a_deeper_graph(worked_example, conventions, both_ways):
    """A second `backward()` accumulates in one of the two ways that the handout names."""

    def trial(mirrored):
        graph = worked_example(mirrored)
        graph["L"].backward()
        seed = graph["c"].grad / 5  # what the first call put on the result is another concept
        assert is_finite_and_nonzero(seed), NOTHING_ARRIVES
        graph["L"].backward()
        accepted = {"interior kept": [81, 61, 15], "leaves accumulate": [44, 34, 10]}
        grads = graph.grads("abc")
        right = [[seed * grad for grad in accepted[convention]] for convention in conventions.second_backward]
        assert grads in right, f"after two calls, the gradients of a, b and c are {grads}"

    both_ways(trial)


@about_backward
@pytest.mark.hint("Treat all nodes in between alike, with one operand or two: all keep gradients, or none does.")
@kept_numbers
def test_a_second_backward_treats_all_nodes_in_between_alike(make_graph, conventions, both_ways, blocked_by):
    """A second `backward()` accumulates in one of the two ways, also where a node has one operand."""

    def trial(mirrored):
        weights = {"p": (3.0, 2.0), "u": (2.0,), "L": (5.0, 7.0)}
        graph = make_graph(weights=weights, mirrored=mirrored, a="", b="", c="", p="ab", u="p", L="uc")
        graph["L"].backward()
        seed = graph["c"].grad / 7
        assert is_finite_and_nonzero(seed), NOTHING_ARRIVES
        if graph.grads("abc") != [seed * grad for grad in (30, 20, 7)]:
            blocked_by("backward")
        graph["L"].backward()
        accepted = {"interior kept": [120, 80, 14], "leaves accumulate": [60, 40, 14]}
        grads = graph.grads("abc")
        right = [[seed * grad for grad in accepted[convention]] for convention in conventions.second_backward]
        assert grads in right, f"after two calls, the gradients of a, b and c are {grads}"

    both_ways(trial)


def used_three_times(a, b, c):
    """A sum of sums, one of them used three times.

    Here and below, an odd number of ways leads to every leaf: no sign that `+` gets wrong makes a gradient zero.
    """
    n = a + b
    return (n + c) + n + n


@pytest.fixture
def sums_hold(expression_checker, blocked_by):
    """What an expression of sums alone owes its leaves; blocks the test if its orders do not agree on that."""

    def hold(expression, numbers, data, mirrored):
        try:
            return expression_checker.gradients_of_operators(expression, numbers, data, mirrored)
        except (AssertionError, StudentError):
            blocked_by("__add__")

    return hold


@about_backward
@pytest.mark.needs("__add__")
@pytest.mark.hint("A second call treats all nodes in between alike, whichever operation made them.")
@kept_numbers
def test_a_second_backward_through_operators(expression_checker, sums_hold, conventions, both_ways, blocked_by):
    """With your own sums, too, a second `backward()` accumulates in one of the two ways."""

    numbers = (2.0, 3.0, 1.0)

    def trial(mirrored):
        gradients_of_operators = sums_hold(used_three_times, numbers, 16, mirrored)
        kept, added = (
            expression_checker.gradients_after_two_passes(used_three_times, numbers, mirrored, keep=keep)
            for keep in (True, False)
        )
        twice = [2 * grad for grad in gradients_of_operators]
        assert added == twice, f"two calls of every _backward give {added}, and one gives {gradients_of_operators}"
        leaves = expression_checker.leaves(numbers)
        out = expression_checker.apply_to(used_three_times, leaves, mirrored)
        out.backward()
        if [leaf.grad for leaf in leaves] != gradients_of_operators:
            blocked_by("backward")
        out.backward()
        accepted = {"interior kept": kept, "leaves accumulate": added}
        grads = [leaf.grad for leaf in leaves]
        right = [accepted[convention] for convention in conventions.second_backward]
        assert grads in right, f"after two calls, the gradients of a, b and c are {grads}"

    both_ways(trial)


@pytest.mark.subject("__add__")
@pytest.mark.hint("`_prev` is a tuple, a list or a set: `map`, `filter` and generators are empty after one walk.")
@kept_sides
def test_operands_are_still_there(leaves):
    """The `_prev` of a result holds its operands as often as it is read."""
    a, b = leaves(2.0, 3.0)
    for out in (a + b, (a + b) + b):
        first, second = (len([*out._prev]) for _ in range(2))
        assert first > 0, "_prev holds nothing"
        assert second == first, f"at first it holds {first} operands, and the second time it is read {second}"


@pytest.fixture
def check_again(expression_checker, both_ways):
    """Check that a result that is sent back, cleared and sent back again has the gradients that it had at first.

    Where the operation does not even work once, ``where_it_works`` asks for nothing: that costs marks elsewhere.
    """

    def walk(expression, numbers, mirrored):
        leaves = expression_checker.leaves(numbers)
        out = expression_checker.apply_to(expression, leaves, mirrored)
        for step in (out.backward, out.zero_grad, out.backward):
            step()
            yield [leaf.grad for leaf in leaves]

    def works_once(expression, numbers, mirrored):
        try:
            return all(map(is_finite_and_nonzero, next(walk(expression, numbers, mirrored))))
        except (StudentError, AttributeError, TypeError):
            return False

    def check(expression, numbers, *, where_it_works=False):
        def trial(mirrored):
            if where_it_works and not works_once(expression, numbers, mirrored):
                return
            first, cleared, again = walk(expression, numbers, mirrored)
            assert all(map(is_finite_and_nonzero, first)), NOTHING_ARRIVES
            assert not any(cleared), f"after backward() and zero_grad(), the gradients are {cleared}"
            assert again == first, f"the first backward() gives {first}, and the one after zero_grad() {again}"

        both_ways(trial)

    return check


@about_both
@pytest.mark.needs("__add__")
@pytest.mark.weight(3)
@walks_again
@kept_whole
def test_a_sum_is_sent_back_cleared_and_sent_back(check_again):
    """With sums: `backward()`, `zero_grad()` and `backward()` on one result leave what one `backward()` leaves."""
    check_again(used_three_times, (2.0, 3.0, 1.0))


@about_both
@pytest.mark.needs("__add__")
@pytest.mark.weight(1.5)
@walks_again
def test_products_and_tanh_are_sent_back_cleared_and_sent_back(check_again):
    """Where `*` and `tanh` work once, they work as well after `zero_grad()`, on the same result."""
    check_again(lambda a, b, c: a + b + c, (2.0, 3.0, 1.0))
    check_again(lambda a, b: (a * b) * a, (2.0, -3.0), where_it_works=True)
    check_again(lambda a: a.tanh().tanh(), (0.5,), where_it_works=True)


@about_both
@pytest.mark.needs("__add__")
@walks_again
@kept_numbers
def test_programs_are_sent_back_cleared_and_sent_back(student, both_ways):
    """Programs of a few sums give the same gradients once more after `zero_grad()`."""
    programs = draw_programs(10, ("+", "+", "+ 3"), 11)

    def trial(mirrored):
        found = run_drawn(student, programs, mirrored, "out.backward()\nout.zero_grad()\nout.backward()")
        found = [grads for grads in found if all(map(is_finite_and_nonzero, grads[0]))]
        assert found, NOTHING_ARRIVES
        for first, cleared, again in found:
            assert not any(cleared), f"after zero_grad(), the gradients of the leaves are {cleared}"
            assert all(map(close, again, first)), f"the gradients of the leaves are {first}, the second time {again}"

    both_ways(trial)


STEPS = """
w, b = Value(2.0), Value(-1.0)
found = []
for x in (3.0, 5.0, -2.0):
    loss = ((w + Value(x)) + b) + (w + Value(0.5)) + w
    loss.zero_grad()
    loss.backward()
    found.append([w.grad, b.grad])
"""


@pytest.mark.subject("__add__", "backward", "zero_grad")
@pytest.mark.weight(4)
@pytest.mark.hint("`zero_grad()` on the new result clears its leaves too, so that `backward()` starts afresh.")
@kept_whole
def test_steps_in_a_program(student, both_ways):
    """In training, each step builds a result, clears it and sends it back: it has the gradients of one step."""

    def trial(mirrored):
        (found,) = run_program(student, STEPS, mirrored, "found")
        first, *later = found
        assert all(map(is_finite_and_nonzero, first)), NOTHING_ARRIVES
        for step, grads in enumerate(later, 2):
            assert grads == first, f"the gradients of w and b are {first} after step 1, {grads} after step {step}"

    both_ways(trial)


@about_both
@pytest.mark.needs("__add__")
@pytest.mark.hint("An expression may grow after a pass: number no nodes anew, and keep no order from before.")
@kept_numbers
def test_an_expression_grows_after_a_backward(expression_checker, sums_hold, both_ways, blocked_by):
    """What is built on an expression after `backward()` and `zero_grad()` gets the gradients it always would."""

    def grown(a, b, c, *, between=lambda node: None):
        n = a + b
        m = n + c
        between(m.node)
        return (m + n) + m + m + n

    def pass_before(node):
        node.backward()
        node.zero_grad()

    def grads_after(mirrored, **options):
        leaves = expression_checker.leaves((2.0, 3.0, 7.0))
        expression_checker.apply_to(lambda a, b, c: grown(a, b, c, **options), leaves, mirrored).backward()
        return [leaf.grad for leaf in leaves]

    def trial(mirrored):
        gradients_of_operators = sums_hold(grown, (2.0, 3.0, 7.0), 46, mirrored)
        if grads_after(mirrored) != gradients_of_operators:
            blocked_by("backward")
        grads = grads_after(mirrored, between=pass_before)
        assert grads == gradients_of_operators, f"with a pass before, the gradients of a, b and c are {grads}"

    both_ways(trial)


@about_backward
@pytest.mark.weight(0.5)
@pytest.mark.hint("Leave what the leaves have as it is, whatever it is, and let `_backward` add to it.")
@kept_numbers
def test_backward_adds_to_any_gradient_of_a_leaf(make_graph):
    """`backward()` adds to what a leaf has, be it negative or a number with many decimals."""
    for before in (-7.5, 0.123456789):
        graph = make_graph(weights={"c": (2.0, 2.0)}, a="", b="", c="ab")
        graph["c"].backward()
        plain = graph["a"].grad
        assert is_finite_and_nonzero(plain), NOTHING_ARRIVES
        graph = make_graph(weights={"c": (2.0, 2.0)}, a="", b="", c="ab")
        graph["a"].grad = before
        graph["c"].backward()
        grad = graph["a"].grad
        assert grad == before + plain, f"it had {before}, is owed {plain}, and has {grad}"


@about_backward
@pytest.mark.weight(0.5)
@pytest.mark.hint("Gradients of leaves stay until `zero_grad` clears them.")
@kept_whole
def test_two_results_add_to_a_common_leaf(make_graph):
    """Two results that depend on the same leaf both add to its gradient."""
    graph = make_graph(weights={"c": (3.0, 2.0), "d": (1.0, 1.0)}, a="", b="", e="", c="ab", d="ae")
    graph["c"].backward()
    first = graph["a"].grad
    assert is_finite_and_nonzero(first), NOTHING_ARRIVES
    graph["d"].backward()
    both = graph["a"].grad
    assert both * 3 == first * 4, f"the common leaf has {first} after the first result, {both} after both"


@about_both
@pytest.mark.weight(2)
@pytest.mark.hint("After `zero_grad` every gradient below is zero, so `backward` starts afresh.")
@kept_numbers
def test_zero_grad_makes_backward_start_afresh(worked_example, both_ways):
    """`backward()`, `zero_grad()` and `backward()` again give what one `backward()` gives."""

    def trial(mirrored):
        graph = worked_example(mirrored)
        graph["L"].backward()
        first = graph.grads("abc")
        assert any(map(is_finite_and_nonzero, first)), NOTHING_ARRIVES
        graph["L"].zero_grad()
        cleared = graph.grads(("a", "b", "c", "L"))
        assert cleared == [0, 0, 0, 0], f"after zero_grad, the gradients are {cleared}"
        graph["L"].backward()
        second = graph.grads("abc")
        assert second == first, f"the gradients are {first} first and {second} afterwards"

    both_ways(trial)
