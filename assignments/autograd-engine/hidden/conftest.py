"""What the hidden tests share: the student's class, and graphs wired by hand from its nodes."""

import pytest

from autograder.bridge import StudentError

CONTAINERS = (tuple, list, set, frozenset)
MOST_LOOKS = 500
"""Nodes below one result of one operation; operands that make new operands whenever one looks have no end."""


class Wired:
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
        self.grads_at_call = {}
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
            found["container"] = type(leaf_prev) if type(leaf_prev) in CONTAINERS else tuple
        kind = found["container"]
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
        node = self.nodes[name]
        below = [self.nodes[operand] for operand in self.operands[name]]

        note = self._recorder.note(name)

        def noting():
            note()
            self.grads_at_call[name] = node.grad

        (node._backward,) = self._student.relays([(noting, below, "grad", 1.0)])

    def leave_alone(self, names):
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

    def too_early(self):
        """The first (node, user) pair in which the node was called before one that uses it; None if all is well."""
        for position, name in enumerate(self.calls):
            for user in self.calls[position + 1 :]:
                if name in self.operands[user]:
                    return name, user
        return None


LADDER = {"n0": "", "n1": "", **{f"n{i}": (f"n{i - 1}", f"n{i - 2}") for i in range(2, 12)}}
"""Each node over the two before it: there is one right order."""


def sees(student, Value, method, *, by_operators):
    """Whether one of the engine's methods finds its way down a graph of twelve made in this way."""
    try:
        graph = Wired(student, Value, LADDER, by_operators=by_operators)
        if method == "backward":
            graph["n11"].backward()
            return graph.calls == [f"n{i}" for i in range(11, 1, -1)]
        graph.set_grads(7.0)
        graph["n11"].zero_grad()
        return set(graph.grads(LADDER)) == {0}
    except (StudentError, TypeError):
        return False


def leads_to(node, out):
    """Whether following ``_prev`` from ``out`` leads to ``node``."""
    waiting, looks = [out], 0
    while waiting and looks < MOST_LOOKS:
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


@pytest.fixture
def wired(about, student, Value):
    """Make a graph of a known shape: ``wired(a="", b="", c="ab")`` is c over a and b.

    With ``weights``, nodes pass on what their operands' local derivatives would: ``weights={"c": (3.0, 2.0)}``.
    """
    method, *_ = about
    if method not in student.remembered:
        student.remembered[method] = False  # what holds if the engine never comes back from being tried
        wirable = sees(student, Value, method, by_operators=False)
        student.remembered[method] = not wirable and sees(student, Value, method, by_operators=True)

    def make(data=None, weights=None, **operands):
        shape = {name: tuple(below) for name, below in operands.items()}
        by_operators = student.remembered[method]
        return Wired(student, Value, shape, data=data, weights=weights, by_operators=by_operators)

    return make


@pytest.fixture
def worked_example(wired):
    """``L = (a*b + c) * (a + b)`` at 2, 3, 1, with the local derivatives of its operations; needs no operator."""

    def make():
        weights = {"p": (3.0, 2.0), "q": (1.0, 1.0), "s": (1.0, 1.0), "L": (5.0, 7.0)}
        return wired(weights=weights, a="", b="", c="", p="ab", q="pc", s="ab", L="qs")

    return make
