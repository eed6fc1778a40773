"""What the hidden tests share: the student's class, and graphs wired by hand from its nodes."""

import pytest

CONTAINERS = (tuple, list, set, frozenset)


class Wired:
    """A graph of the student's nodes, wired by hand: it needs no operator of the student's.

    Nodes are made operands first. Each notes when its ``_backward`` is called, and passes a gradient that is not
    zero on to its operands, so that engines which follow creation order or skip zero gradients are at home too.
    """

    def __init__(self, student, Value, operands, data=None):
        self._student = student
        self.operands = operands
        self.calls = []
        self.grads_at_call = {}
        numbers = [(data or {}).get(name, index + 2.0) for index, name in enumerate(operands)]
        self.nodes = dict(zip(operands, student.make(Value, numbers), strict=True))
        kind = type(self.nodes[next(iter(operands))]._prev)
        kind = kind if kind in CONTAINERS else tuple
        changes = []
        for name, below in operands.items():
            if below:
                changes.append((self.nodes[name], "_prev", kind(self.nodes[operand] for operand in below)))
                changes.append((self.nodes[name], "_backward", self._recorder(name, below)))
        student.set_all(changes)

    def __getitem__(self, name):
        return self.nodes[name]

    def _recorder(self, name, below):
        def recorder():
            self.calls.append(name)
            self._student.set_all((self.nodes[operand], "grad", 1.0) for operand in dict.fromkeys(below))

        return recorder

    def note_grad_of(self, name):
        """Also note the gradient that this node has when its ``_backward`` is called."""
        node, recorder = self.nodes[name], self._recorder(name, self.operands[name])

        def noting():
            self.grads_at_call[name] = node.grad
            recorder()

        node._backward = noting

    def grads(self, names):
        """The gradients of these nodes."""
        return self._student.get_all([self.nodes[name] for name in names], "grad")

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


@pytest.fixture
def Value(student):
    """The student's class."""
    return student.get("Value")


@pytest.fixture
def wired(student, Value):
    """Make a graph by hand: ``wired(a="", b="", c="ab")`` is c over a and b."""

    def make(data=None, **operands):
        return Wired(student, Value, {name: tuple(below) for name, below in operands.items()}, data)

    return make
