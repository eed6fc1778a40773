"""What the hidden tests share: the student's class, and graphs wired by hand from its nodes."""

import math
from functools import partial

import pytest

from autograder.bridge import StudentError

CONTAINERS = {kind.__name__: kind for kind in (tuple, list, set, frozenset)}
FORWARD = "Compute each step by hand: the forward tests say which operation is wrong."
OPERATORS = "An operation passes on the wrong gradient: look at local gradients and accumulation first."
BACKWARD = "The operations are right here: look at the order, the seed, and which nodes are visited."

MOST_VISITS = 500
"""Nodes below one result of one operation; operands that make new operands whenever one looks have no end."""


class RecordingGraph:
    """A graph of the student's nodes with a known shape, in which every node notes that it was called.

    Wired by hand it needs no operator: ``_prev`` is set, and ``_backward`` is the test's own. Nodes are made operands
    first, and each passes a gradient that is not zero on to its operands, so that engines which follow creation order
    or skip zero gradients are at home too. For an engine that keeps its graph elsewhere than in ``_prev``, the same
    shape is built with ``+``.
    """

    def __init__(self, student, Value, operands, *, data=None, weights=None, by_operators=False):
        self._student = student
        self.operands = operands
        self.weights = weights or {}
        self.by_operators = by_operators
        self._recorder = student.recorder()
        self._readers = {}
        numbers = {name: (data or {}).get(name, index + 2.0) for index, name in enumerate(operands)}
        if by_operators:
            self.nodes = self._built(Value, numbers)
        else:
            self.nodes = dict(zip(operands, student.make(Value, list(numbers.values())), strict=True))
        if not by_operators:
            student.set_all(self._wires())
        self._start()

    def __getitem__(self, name):
        return self.nodes[name]

    @property
    def calls(self):
        """Names of the nodes whose ``_backward`` was called, in this order."""
        return self._recorder.noted

    def _wires(self):
        found = self._student.remembered
        if "container" not in found:
            leaf_prev = self.nodes[next(iter(self.operands))]._prev
            name = type(leaf_prev).__name__
            found["container"] = name if name in CONTAINERS else "tuple"
        kind = CONTAINERS[found["container"]]
        for name, below in self.operands.items():
            if below:
                yield self.nodes[name], "_prev", kind(self.nodes[operand] for operand in below)

    def _start(self):
        """Gradients of zero and a ``_backward`` for every node: how an engine starts them is another concept."""
        inner = [name for name, below in self.operands.items() if below]
        recorders = self._weighted(inner) if self.weights else self._plain(inner)
        backwards = dict(zip(inner, recorders, strict=True))
        (nothing,) = self._student.relays([(None, (), "grad", 0.0)])
        self.set_grads(0.0)
        self._student.set_all((node, "_backward", backwards.get(name, nothing)) for name, node in self.nodes.items())

    def _built(self, Value, numbers):
        nodes = {}
        for name, below in self.operands.items():
            parts = [nodes[operand] for operand in below]
            nodes[name] = parts[0] + (parts[1] if len(parts) > 1 else Value(0.0)) if parts else Value(numbers[name])
            for part in parts[2:]:
                nodes[name] = nodes[name] + part
        return nodes

    def _plain(self, names):
        """Recorders that give every operand a gradient of one."""
        return self._student.relays((self._recorder.note(name), self._below(name), "grad", 1.0) for name in names)

    def _weighted(self, names):
        """Recorders that give every operand its weight times the node's own gradient."""
        note, weights = self._recorder.note, self.weights
        return self._student.shares(
            (note(name), self.nodes[name], self._below(name), weights[name], "grad") for name in names
        )

    def _below(self, name):
        """A node's operands, each once."""
        return [self.nodes[operand] for operand in dict.fromkeys(self.operands[name])]

    def note_grad_of(self, name):
        """Also note the gradient that this node has when its ``_backward`` is called."""
        (relay,) = self._plain([name])
        (self._readers[name],) = self._student.readers([(self.nodes[name], "grad", relay)])
        self.nodes[name]._backward = self._readers[name]

    def grads_at_call(self, name):
        """The gradients that this node had at the calls of its ``_backward``; see ``note_grad_of``."""
        return self._readers[name].found

    def make_passing_nothing(self, names):
        """Give these nodes a ``_backward`` that does nothing."""
        nothing = self._student.relays([(None, (), "grad", 0.0)] * len(names))
        self._student.set_all((self[name], "_backward", made) for name, made in zip(names, nothing, strict=True))

    def make_silent(self, names):
        """Let these nodes pass a gradient of one on without telling the test; for very long chains."""
        below = [[self.nodes[operand] for operand in self.operands[name]] for name in names]
        silent = self._student.relays((None, nodes, "grad", 1.0) for nodes in below)
        self._student.set_all((self.nodes[name], "_backward", made) for name, made in zip(names, silent, strict=True))

    def watch(self, most):
        """Count how often the nodes' operands are gone through, and stop whoever goes beyond ``most``."""
        return self._student.watch([] if self.by_operators else self.nodes.values(), "_prev", most)

    def grads(self, names):
        """The gradients of these nodes."""
        return self._student.get_all([self.nodes[name] for name in names], "grad")

    def numbers(self):
        """The data of all nodes."""
        return self._student.get_all(self.nodes.values(), "data")

    def set_grads(self, grad, names=None):
        """Give these nodes, or all, a gradient."""
        self._student.set_all((self.nodes[name], "grad", grad) for name in names or self.nodes)

    def reachable(self, root):
        """Names of the nodes below ``root`` that have operands, itself included."""
        found, waiting = [], [root]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.append(name)
                waiting += self.operands[name]
        return {name for name in found if self.operands[name]}

    def first_called_too_early(self):
        """The first (node, user) pair in which the node was called before one that uses it; None if all is well."""
        for position, name in enumerate(self.calls):
            for user in self.calls[position + 1 :]:
                if name in self.operands[user]:
                    return name, user
        return None


LADDER = {"n0": "", "n1": "", **{f"n{i}": (f"n{i - 1}", f"n{i - 2}") for i in range(2, 12)}}
"""Each node over the two before it: there is one right order."""
LATE_USERS = {"x": "", "m": "x", "n": "xm", "o": "mn", "p": "no", "q": "pm", "r": "qn", "s": "ro"}
"""Likewise, and no order in which a walk comes upon its nodes is the right one."""
TRIAL_SHAPES = (LADDER, LATE_USERS, {name: below[::-1] for name, below in LATE_USERS.items()})


def finds_operands(student, Value, method, *, by_operators):
    """Whether one of the engine's methods finds its way down graphs that are made in this way."""
    return all(_follows_graph(student, Value, method, shape, by_operators=by_operators) for shape in TRIAL_SHAPES)


def _follows_graph(student, Value, method, shape, *, by_operators):
    try:
        graph = RecordingGraph(student, Value, shape, by_operators=by_operators)
        *_, root = shape
        if method == "backward":
            graph[root].backward()
            return graph.calls == [name for name in reversed(shape) if shape[name]]
        graph.set_grads(7.0)
        graph[root].zero_grad()
        return set(graph.grads(shape)) == {0}
    except (StudentError, TypeError):
        return False


def raise_failure_of_any_order(*trials):
    """Run all trials, and raise the failure whose words come first in the alphabet.

    For trials of which an engine fails one or another by a choice that is its own, such as which operand it visits
    first: what is said, and that something is said, does not depend on it.
    """
    failures = []
    for trial in trials:
        try:
            trial()
        except (AssertionError, StudentError) as failure:
            failures.append(failure)
    if failures:
        raise min(failures, key=lambda failure: (isinstance(failure, AssertionError), str(failure)))


class Term:
    """A student's node in an expression; mirrored, the operands of every operation change places."""

    def __init__(self, node, mirrored):
        self.node, self._mirrored = node, mirrored

    def __add__(self, other):
        left, right = (other, self) if self._mirrored else (self, other)
        return Term(left.node + right.node, self._mirrored)

    def __mul__(self, other):
        left, right = (other, self) if self._mirrored else (self, other)
        return Term(left.node * right.node, self._mirrored)

    def tanh(self):
        """The student's."""
        return Term(self.node.tanh(), self._mirrored)


def leads_to(node, out):
    """Whether following ``_prev`` from ``out`` leads to ``node``."""
    waiting, looks = [out], 0
    while waiting and looks < MOST_VISITS:
        one = waiting.pop()
        looks += 1
        if one is node:
            return True
        waiting.extend([] if isinstance(one, int | float) else one._prev or ())
    return False


@pytest.fixture
def is_below():
    """``is_below(node, out)``: see ``leads_to``."""
    return leads_to


@pytest.fixture
def Value(student):
    """The student's class."""
    return student.get("Value")


@pytest.fixture
def leaves(student, Value):
    """``a, b = leaves(2.0, 3.0)``: Values with a gradient of zero set by hand."""

    def make(*numbers):
        made = student.make(Value, numbers)
        student.set_all((leaf, "grad", 0.0) for leaf in made)
        return made

    return make


@pytest.fixture
def pull(student):
    """``pull(out, upstream=1.0, keep=False)``: see ``Student.pull``; it needs no ``backward`` of the student's."""
    return student.pull


class ExpressionChecker:
    """An expression, tried with everything that the student wrote, as it stands and mirrored.

    What the operators' ``_backward`` give is seen in two valid orders of the test's own, so that an operator that is
    wrong is seen whichever order the student's ``backward()`` goes in.
    """

    def __init__(self, student, Value):
        self._student, self._Value = student, Value

    def check(self, expression, numbers, data, grads):
        """Numbers and gradients of an expression over new leaves are these."""
        raise_failure_of_any_order(
            *(partial(self._try, expression, numbers, data, grads, mirrored) for mirrored in (False, True))
        )

    def _try(self, expression, numbers, data, grads, mirrored):
        self.check_operators(expression, numbers, data, grads, mirrored)
        leaves = self.leaves(numbers)
        self.apply_to(expression, leaves, mirrored).backward()
        self.check_gradients(expression, leaves, grads)

    def check_operators(self, expression, numbers, data, grads, mirrored):
        """The operators are right in this expression, in whichever valid order their ``_backward`` are called."""
        leaves = self.leaves(numbers)
        out = self.apply_to(expression, leaves, mirrored)
        assert close(out.data, data), f"the expression gives {out.data}\n{FORWARD}"
        raise_failure_of_any_order(
            *(partial(self._check_propagated, expression, leaves, out, grads, order) for order in (False, True))
        )

    def _check_propagated(self, expression, leaves, out, grads, last_first):
        got = self._propagate(leaves, out, last_first=last_first)
        assert all(map(close, got, grads)), (
            f"with every _backward called in a right order, {describe_gradients(expression, got)}\n{OPERATORS}"
        )

    def _propagate(self, leaves, out, *, last_first):
        """The gradients of leaves after one from the result was sent down, in a valid order of the test's own."""
        self._student.set_all((leaf, "grad", 0.0) for leaf in leaves)
        self._student.pull(out, last_first=last_first)
        return self._student.get_all(leaves, "grad")

    def check_backward(self, expression, numbers, data):
        """``backward()`` gives what the expression's operators give in every valid order, be that right or not."""
        raise_failure_of_any_order(
            *(partial(self._try_backward, expression, numbers, data, mirrored) for mirrored in (False, True))
        )

    def _try_backward(self, expression, numbers, data, mirrored):
        grads = self.gradients_of_operators(expression, numbers, data, mirrored)
        leaves = self.leaves(numbers)
        self.apply_to(expression, leaves, mirrored).backward()
        self.check_gradients(expression, leaves, grads)

    def gradients_of_operators(self, expression, numbers, data, mirrored):
        """What the student's operators give the leaves in two opposite valid orders: the same, and never nothing.

        A wrong derivative is another concept, and costs nothing here.
        """
        leaves = self.leaves(numbers)
        self._student.set_all((leaf, "grad", position + 2.0) for position, leaf in enumerate(leaves))
        kept = self._student.get_all(leaves, "grad")
        assert all(map(close, kept, range(2, len(leaves) + 2))), "a leaf does not keep the gradient that was set"
        out = self.apply_to(expression, leaves, mirrored)
        assert close(out.data, data), f"the expression gives {out.data}\n{FORWARD}"
        once, again = (self._propagate(leaves, out, last_first=order) for order in (False, True))
        assert all(map(is_finite_and_nonzero, once)), (
            f"with every _backward called in a right order, a leaf gets nothing\n{OPERATORS}"
        )
        assert all(map(close, again, once)), f"in two right orders, the leaves get different gradients\n{OPERATORS}"
        return once

    def gradients_after_two_passes(self, expression, numbers, mirrored, *, keep):
        """The gradients of leaves after the operators sent one down twice, in a valid order of the test's own.

        With ``keep``, the nodes in between keep what they have from the first time, and otherwise start at zero.
        """
        leaves = self.leaves(numbers)
        out = self.apply_to(expression, leaves, mirrored)
        self._propagate(leaves, out, last_first=False)
        self._student.pull(out, keep=keep)
        return self._student.get_all(leaves, "grad")

    def leaves(self, numbers):
        """New leaves that hold these numbers."""
        return self._student.make(self._Value, numbers)

    def apply_to(self, expression, leaves, mirrored):
        """The node that an expression over these leaves gives."""
        return expression(*(Term(leaf, mirrored) for leaf in leaves)).node

    def check_gradients(self, expression, leaves, grads, when="after backward(), "):
        """The leaves have these gradients, as the operators were seen to give before."""
        got = self._student.get_all(leaves, "grad")
        assert all(map(close, got, grads)), f"{when}{describe_gradients(expression, got)}\n{BACKWARD}"


def is_finite_and_nonzero(grad):
    """Whether a gradient is a number that is neither zero nor infinite."""
    return isinstance(grad, int | float) and math.isfinite(grad) and grad != 0


def describe_gradients(expression, grads):
    """The gradients of an expression's leaves, in words."""
    names = expression.__code__.co_varnames[: expression.__code__.co_argcount]
    if len(names) < len(grads):
        return f"the gradients of its {len(grads)} leaves are wrong"
    return f"the gradients of {', '.join(names)} are {', '.join(map(str, grads))}"


def close(value, expected):
    """Whether a number is right to nine digits; anything that is no number is not."""
    return isinstance(value, int | float) and math.isclose(value, expected, rel_tol=1e-9)


@pytest.fixture
def expression_checker(student, Value):
    """See ``ExpressionChecker``."""
    return ExpressionChecker(student, Value)


@pytest.fixture
def make_graph(about, student, Value):
    """Make a graph of a known shape: ``make_graph(a="", b="", c="ab")`` is c over a and b.

    With ``weights``, nodes pass on what their operands' local derivatives would: ``weights={"c": (3.0, 2.0)}``.
    With ``mirrored``, every node has its operands the other way round.
    """
    method, *_ = about
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
