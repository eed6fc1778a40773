"""Provide hidden tests with the student's class, graphs wired by hand from its nodes, and expressions of them."""

from functools import partial

import pytest
from expression_checker import ExpressionChecker
from failure_of_any_order import raise_failure_of_any_order
from number_checks import close
from operand_finding import finds_operands
from recording_graph import RecordingGraph

from autograder.bridge import StudentError, StudentStopped

MOST_VISITS = 500
"""Nodes below one result of one operation; operands that make new operands whenever one looks have no end."""

ITS_TURN = "`backward()` must come to the result of every operation, and before its operand."


def leads_to(out, *nodes):
    """Return whether following ``_prev`` from ``out`` leads to all of these nodes; each ``_prev`` is read once."""
    waiting, looks, missing = [out], 0, list(nodes)
    while waiting and missing and looks < MOST_VISITS:
        one = waiting.pop()
        looks += 1
        missing = [node for node in missing if node is not one]
        waiting.extend([] if isinstance(one, int | float) or one in nodes else one._prev or ())
    return not missing


@pytest.fixture
def are_below():
    """``are_below(out, a, b)``: see ``leads_to``."""
    return leads_to


@pytest.fixture
def Value(student):
    """The student's class."""
    return student.get("Value")


@pytest.fixture
def leaves(student, Value):
    """``a, b = leaves(2.0, 3.0)``: Values with a gradient of zero set by hand."""

    def make(*numbers):
        made = student.make_all(Value, numbers)
        student.set_attributes((leaf, "grad", 0.0) for leaf in made)
        return made

    return make


@pytest.fixture
def propagate_gradient(student):
    """See ``StudentProxy.propagate_gradient``; it needs no ``backward`` of the student's."""
    return student.propagate_gradient


@pytest.fixture
def expression_checker(student, Value):
    """See ``ExpressionChecker``."""
    return ExpressionChecker(student, Value)


@pytest.fixture
def make_graph(subject, student, Value):
    """Make a graph of a known shape: ``make_graph(a="", b="", c="ab")`` is c over a and b.

    With ``weights``, nodes pass on what their operands' local derivatives would: ``weights={"c": (3.0, 2.0)}``.
    With ``mirrored``, every node has its operands the other way round.
    """
    method, *_ = subject
    if method not in student.remembered:
        student.remembered[method] = False  # what holds if the engine never comes back from being tried
        wirable = finds_operands(student, Value, method, by_operators=False)
        student.remembered[method] = not wirable and finds_operands(student, Value, method, by_operators=True)

    def make(data=None, weights=None, mirrored=False, **operands):
        turn = -1 if mirrored else 1
        shape = {name: tuple(below)[::turn] for name, below in operands.items()}
        weights = {name: shares[::turn] for name, shares in (weights or {}).items()}
        by_operators = student.remembered[method]
        return RecordingGraph(student, Value, shape, data=data, weights=weights, by_operators=by_operators)

    return make


@pytest.fixture
def both_ways():
    """``both_ways(lambda mirrored: ...)``: try something as it stands and mirrored; see there."""

    def try_both(trial):
        raise_failure_of_any_order(lambda: trial(False), lambda: trial(True))

    return try_both


@pytest.fixture
def worked_example(make_graph):
    """``L = (a*b + c) * (a + b)`` at 2, 3, 1, with the local derivatives of its operations; needs no operator."""

    def make(mirrored=False):
        weights = {"p": (3.0, 2.0), "q": (1.0, 1.0), "s": (1.0, 1.0), "L": (5.0, 7.0)}
        return make_graph(weights=weights, mirrored=mirrored, a="", b="", c="", p="ab", q="pc", s="ab", L="qs")

    return make


@pytest.fixture
def check_backward(leaves, propagate_gradient, student):
    """Check that ``backward()`` gives a result of an operation its turn, before the operand that is used twice.

    ``check_backward(operation, numbers)`` compares it with what the operations give in a right order, with the result
    on either side of a sum. Where ``backward()`` fails with sums alone, it costs marks elsewhere.
    """

    def gradients(operation, numbers, send):
        one, first, *others = below = leaves(1.0, *numbers)
        n, m = first + one, first + one
        send((operation(n, *others) + n) + (m + operation(m, *others)))
        return student.get_attributes(below, "grad")

    def backward_works():
        try:
            by_hand, by_backward = (
                gradients(lambda n, b: n + b, (2.0, 3.0), send)
                for send in (propagate_gradient, lambda out: out.backward())
            )
        except StudentError:
            return False
        return by_hand == by_backward

    def run(operation, numbers):
        expected = gradients(operation, numbers, propagate_gradient)
        try:
            got = gradients(operation, numbers, lambda out: out.backward())
        except StudentStopped:
            return  # one that does not end costs marks elsewhere
        except StudentError:
            if not backward_works():
                return
            raise
        if all(map(partial(close, abs_tol=1e-9), got, expected)) or not backward_works():
            return
        raise AssertionError(f"with n used by it and by a sum, after backward() the gradients are {got}\n{ITS_TURN}")

    return run
