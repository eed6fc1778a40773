"""The engine as a whole: expressions with the student's own operators and ``backward()``, numbers and gradients.

Every expression is tried as it stands and with the operands of every operation the other way round. About half of
the points need no product, and most need no tanh: one wrong part does not cost all of them.
"""

import math

import pytest
from drawn_programs import draw_programs, run_drawn, run_program
from expression_checker import BACKWARD
from number_checks import close, is_finite_and_nonzero

pytestmark = [pytest.mark.concept("the engine as a whole"), pytest.mark.needs("__init__")]

NUMBERS = (2.0, -3, 5.0)

kept_simplest = pytest.mark.redundant_ok("the simplest case, and the first to read")
kept_whole = pytest.mark.redundant_ok("marks for the whole, whichever part of it is wrong")

about_sums = pytest.mark.subject("__add__", "backward")
about_products = pytest.mark.subject("__mul__", "backward")
about_both = pytest.mark.subject("__add__", "__mul__", "backward")
by_hand = pytest.mark.hint(
    "Fix what is said further up first; then look for the smallest expression of this kind that goes wrong."
)


def used_near_and_far(a, b, c):
    """A sum that is used at once, and again further up."""
    n = a + b
    return (n + c + n) + n


def the_same_twice(a, b):
    """Sums of a node with itself."""
    n = a + b
    m = n + n
    return m + m


def running_total(*numbers):
    """Each step adds a number; a step in the middle is used again at the end, twice.

    So there is an odd number of ways to every number: no sign that `+` gets wrong makes its gradient zero.
    """
    total = numbers[0]
    for number in numbers[1:20]:
        total = total + number
    middle = total
    for number in numbers[20:]:
        total = total + number
    return total + middle + middle


def products(a, b, c):
    """A product that is used at once, and again further up."""
    n = a * b
    return n * c * n


def squares(a, b):
    """Products of a node with itself."""
    n = a * b
    m = n * n
    return m * m


def polynomial(a, b, c, d):
    """(c*n + d) * n + c, all over again times n, for n = a + b."""
    n = a + b
    return ((c * n + d) * n + c) * n


def loss(w, b, x1, t1, x2, t2):
    """The squared errors of a straight line at two points, whose targets are given with the sign turned."""
    first = w * x1 + b + t1
    second = w * x2 + b + t2
    return first * first + second * second


@about_sums
@by_hand
@kept_whole
@pytest.mark.weight(2)
def test_a_sum_that_is_used_near_and_far(expression_checker):
    """In an expression of sums, `backward()` sends the gradient of a result on once all its uses contributed."""
    expression_checker.check_backward(used_near_and_far, NUMBERS, 2)


@about_sums
@by_hand
@kept_whole
@pytest.mark.weight(1.5)
def test_a_sum_with_itself(expression_checker):
    """A result that is added to itself counts twice, and so does the next one."""
    expression_checker.check(the_same_twice, (2.0, 3.0), 20, (4, 4))


@about_sums
@by_hand
@kept_whole
@pytest.mark.weight(2)
def test_a_running_total(expression_checker):
    """`backward()` goes through a total of 40 numbers, with a step in the middle that is used again."""
    numbers = [number - 7.5 for number in range(40)]
    data = sum(numbers) + 2 * sum(numbers[:20])
    expression_checker.check_backward(running_total, numbers, data)


@about_products
@by_hand
@kept_whole
@pytest.mark.weight(1.5)
def test_a_product_that_is_used_near_and_far(expression_checker):
    """In an expression of products, a result that is used twice gets a gradient from each use."""
    expression_checker.check(products, (2.0, -3.0, 5), 180, (180, -120, 36))


@about_products
@by_hand
@kept_whole
def test_a_product_with_itself(expression_checker):
    """A result that is multiplied by itself counts twice, and so does the next one."""
    expression_checker.check(squares, (-2.0, 0.5), 1, (-2, 8))


@about_both
@by_hand
@kept_whole
@pytest.mark.weight(1.5)
def test_the_worked_example_at_other_numbers(expression_checker):
    """The handout's worked example, at other numbers and with all that you wrote, has its gradients."""
    expression_checker.check(lambda a, b, c: (a * b + c) * (a + b), (7.0, -3.0, 5.0), -64, (-28, 12, 4))
    expression_checker.check(lambda a, b: (a * b) * (a + b), (4.0, -3.0), -12, (-15, -8))


@about_sums
@pytest.mark.hint("A result of `n + 3` waits for its uses, and n for all of its own, as with two Values.")
@kept_whole
def test_sums_with_plain_numbers(expression_checker):
    """`backward()` goes through sums with plain numbers, one of which is used near and far."""

    def expression(a, b, three, half):
        n = a + b
        m = n + three
        return ((m + n) + half) + m

    expression_checker.check_with_constants(expression, (2.0, -7.0), (3, 0.5), -8.5, (3, 3, 2, 1))


@about_both
@pytest.mark.hint("A result of `n * 3` waits for its uses, and n for all of its own, as with two Values.")
@kept_whole
def test_products_with_plain_numbers(expression_checker):
    """`backward()` goes through products and sums with plain numbers, one of which is used near and far."""

    def expression(a, b, three, one):
        n = a * b + one
        m = n * three
        return (m + n) * m

    expression_checker.check_with_constants(expression, (2.0, -3.0), (3, 1), 300, (360, -240, 175, -120))


@about_both
@by_hand
@kept_whole
@pytest.mark.weight(1.5)
def test_a_polynomial(expression_checker):
    """A polynomial in a result has the right number and gradients."""
    expression_checker.check(polynomial, (0.5, 1.5, 3.0, -2.0), 22, (31, 31, 10, 4))


@about_both
@by_hand
@kept_whole
@pytest.mark.weight(1.5)
def test_a_loss_over_two_data_points(expression_checker):
    """The loss of a straight line over two data points has the right gradients for the line's numbers."""
    expression_checker.check(loss, (2.0, -1.0, 3.0, -4.0, -2.0, 6.0), 2, (2, 4, 4, 2, 4, 2))


@pytest.mark.subject("__add__", "__mul__", "tanh", "backward")
@by_hand
@kept_whole
@pytest.mark.weight(2)
def test_a_neuron(expression_checker):
    """A neuron like the handout's, at other numbers, has the right output and gradients."""
    slope = 1 - math.tanh(0.75) ** 2
    grads = tuple(slope * share for share in (-0.5, 1.5, 2.0, 0.75, 1.0))
    expression_checker.check(
        lambda x1, w1, x2, w2, b: (x1 * w1 + x2 * w2 + b).tanh(), (1.5, -0.5, 0.75, 2.0, 0.0), math.tanh(0.75), grads
    )


@pytest.mark.subject("__add__", "tanh", "backward")
@by_hand
@kept_whole
@pytest.mark.weight(2)
def test_a_connection_that_skips_a_layer(expression_checker):
    """Where a result goes through tanh and past it as well, both ways count."""

    def skipping(x, b, c):
        h = (x + b).tanh()
        return (h + c).tanh() + h

    h = math.tanh(0.75)
    outer = 1 - math.tanh(h + 0.25) ** 2
    inner = (1 - h**2) * (1 + outer)
    expression_checker.check(skipping, (0.25, 0.5, 0.25), math.tanh(h + 0.25) + h, (inner, inner, outer))


@pytest.mark.subject("__add__", "backward")
@pytest.mark.hint("Gradients of leaves stay until `zero_grad` clears them: each `backward()` adds to what is there.")
@kept_whole
@pytest.mark.weight(2)
def test_two_results_over_the_same_leaves(expression_checker, both_ways):
    """Without `zero_grad()` between, two results add their gradients to the leaves they share."""

    def trial(mirrored):
        grads = expression_checker.gradients_of_operators(used_near_and_far, NUMBERS, 2, mirrored)
        leaves = expression_checker.leaves(NUMBERS)
        expression_checker.apply_to(used_near_and_far, leaves, mirrored).backward()
        expression_checker.check_gradients(used_near_and_far, leaves, grads, "after one backward(), ")
        expression_checker.apply_to(used_near_and_far, leaves, mirrored).backward()
        twice = [2 * grad for grad in grads]
        expression_checker.check_gradients(used_near_and_far, leaves, twice, "after backward() on a second result, ")

    both_ways(trial)


def check_steps(expression_checker, expression, numbers, data, mirrored):
    """Three steps over the same leaves, cleared before each, each have the gradients of one.

    What is cleared and what is sent back are two results over these leaves: two walks over one are another concept.
    """
    grads = expression_checker.gradients_of_operators(expression, numbers, data, mirrored)
    leaves = expression_checker.leaves(numbers)
    for step in ("first", "second", "third"):
        expression_checker.apply_to(expression, leaves, mirrored).zero_grad()
        expression_checker.check_gradients(
            expression, leaves, [0] * len(grads), f"after zero_grad() in the {step} step, "
        )
        expression_checker.apply_to(expression, leaves, mirrored).backward()
        expression_checker.check_gradients(expression, leaves, grads, f"after backward() in the {step} step, ")


@pytest.mark.subject("__add__", "backward", "zero_grad")
@pytest.mark.hint("`zero_grad()` on the new result clears its leaves too, so that `backward()` starts afresh.")
@kept_whole
@pytest.mark.weight(8)
def test_steps_with_zero_grad_between(expression_checker, both_ways):
    """Results are built anew, cleared and sent back three times over the same leaves: the gradients stay the same."""
    both_ways(lambda mirrored: check_steps(expression_checker, used_near_and_far, NUMBERS, 2, mirrored))


@pytest.mark.subject("__add__", "__mul__", "backward", "zero_grad")
@pytest.mark.hint("`zero_grad()` on the new loss clears the line's numbers too, so that `backward()` starts afresh.")
@kept_whole
@pytest.mark.weight(4)
def test_training_steps(expression_checker, both_ways):
    """In training, each step builds its loss anew over cleared parameters: it has the gradients of one step."""
    both_ways(lambda mirrored: check_steps(expression_checker, polynomial, (0.5, 1.5, 3.0, -2.0), 22, mirrored))


def check_drawn(student, operations, seed, mirrored):
    """Programs of drawn operations, run as they are, leave the right gradients; see ``DrawnProgram.sizes``."""
    programs = draw_programs(16, operations, seed)
    for program, (got,) in zip(programs, run_drawn(student, programs, mirrored), strict=True):
        right = [
            close(grad, expected, abs_tol=1e-9 * size)
            for grad, expected, size in zip(got, program.grads, program.sizes, strict=True)
        ]
        count = len(program.lines) - 4
        assert all(right), f"in one of {count} operations, the gradient of a leaf is {got[right.index(False)]}"


drawn_hint = pytest.mark.hint(
    "The smallest program that goes wrong is shown below, if one was found: follow it by hand."
)


@about_sums
@drawn_hint
@kept_whole
@pytest.mark.weight(0.5)
def test_programs_of_sums(student, both_ways):
    """Programs of a few sums leave the right gradients."""
    both_ways(lambda mirrored: check_drawn(student, ("+", "+", "+ 3"), 3, mirrored))


@about_both
@drawn_hint
@kept_whole
@pytest.mark.weight(0.5)
def test_programs_of_sums_and_products(student, both_ways):
    """Programs of a few sums and products leave the right gradients."""
    both_ways(lambda mirrored: check_drawn(student, ("+", "*", "*", "* 3", "+ 3"), 5, mirrored))


keep_operands = pytest.mark.hint(
    "A result keeps its operands itself, in `_prev`: nobody else holds `a * b` in `(a * b) + c`."
)


@about_sums
@keep_operands
@kept_whole
@pytest.mark.weight(2)
def test_sums_in_a_program(student, both_ways):
    """In a program that names leaves and result alone, `backward()` gives what it gives with all nodes named."""
    leaves = "a, b, c = Value(2.0), Value(-3.0), Value(5)\n"
    steps = ("k = a + b", "l = k + c", "m = b + c", "n = a + m", "o = l + n", "out = o + a", "out.backward()")
    program = "out = (((a + b) + c) + (a + (b + c))) + a\nout.backward()"

    def trial(mirrored):
        named, found = (
            [*run_program(student, leaves + text, mirrored, "a.grad", "b.grad", "c.grad")]
            for text in ("\n".join(steps), program)
        )
        assert all(map(is_finite_and_nonzero, named)), f"with all nodes named, the gradients are {named}\n{BACKWARD}"
        assert found == named, f"with all nodes named, the gradients are {named}, and otherwise {found}"

    both_ways(trial)


@about_both
@keep_operands
@kept_simplest
def test_the_example_of_the_handout_in_a_program(student, both_ways):
    """The handout's first example, run as it stands there, gives what the handout says."""

    def trial(mirrored):
        found, elsewhere = (
            [*run_program(student, leaves + EXAMPLE, mirrored, "L.data", "a.grad", "b.grad", "c.grad")]
            for leaves in (
                "a, b, c = Value(2.0), Value(3.0), Value(1.0)",
                "a, b, c = Value(4.0), Value(5.0), Value(-2)",
            )
        )
        assert found == [35, 22, 17, 5], f"L.data and the gradients of a, b and c are {found}"
        assert elsewhere == [162, 63, 54, 9], f"at 4, 5 and -2, L.data and the gradients are {elsewhere}"

    both_ways(trial)


EXAMPLE = """
L = (a * b + c) * (a + b)
L.backward()
"""
ONE_AFTER_ANOTHER = """
import gc
a, b, c = Value(2.0), Value(3.0), Value(2.0)
found = []
for clear in ("by hand", "zero_grad", "new leaves"):
    for make in (
        lambda a, b, c: a + b,
        lambda a, b, c: (a + b) + (c + a),
        lambda a, b, c: ((c + a) + b) + (a + b),
        lambda a, b, c: (b + c) + (c + (a + b) + c),
    ):
        if clear == "zero_grad":
            (a + b + c).zero_grad()
        elif clear == "new leaves":
            a, b, c = Value(2.0), Value(3.0), Value(2.0)
        else:
            a.grad = b.grad = c.grad = 0.0
        out = make(a, b, c)
        out.backward()
        found.append([out.data, a.grad, b.grad, c.grad])
        del out
        gc.collect()
"""


@pytest.mark.subject("__add__", "backward", "zero_grad")
@pytest.mark.hint(
    "What one graph leaves behind must not matter for the next: counters, tables by `id()`, lists of nodes, marks."
)
@pytest.mark.redundant_ok("what is kept from graph to graph, by `id()` or a counter, is not in the catalogue")
def test_one_expression_after_another(student, both_ways):
    """Expressions that are built and dropped one after another, over the same leaves or new ones, are all right."""

    def trial(mirrored):
        (found,) = run_program(student, ONE_AFTER_ANOTHER, mirrored, "found")
        expected = [[5, 1, 1, 0], [9, 2, 1, 1], [12, 2, 2, 1], [14, 1, 2, 3]] * 3
        right = [one == other for one, other in zip(found, expected, strict=True)]
        assert all(right), (
            f"number {right.index(False) + 1} of {len(right)} has this number, and these gradients of a, b and c: "
            f"{found[right.index(False)]}"
        )

    both_ways(trial)
