"""Graphs wired by hand from the student's nodes, in which every node notes that it was called."""

from autograder.bridge import StudentError

CONTAINERS = {kind.__name__: kind for kind in (tuple, list, set, frozenset)}


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
        self._recorder = student.make_call_recorder()
        self._readers = {}
        numbers = {name: (data or {}).get(name, index + 2.0) for index, name in enumerate(operands)}
        if by_operators:
            self.nodes = self._built(Value, numbers)
        else:
            self.nodes = dict(zip(operands, student.make_all(Value, list(numbers.values())), strict=True))
        if not by_operators:
            student.set_attributes(self._wires())
        self._start()

    def __getitem__(self, name):
        return self.nodes[name]

    @property
    def calls(self):
        """Return names of the nodes whose ``_backward`` was called, in this order."""
        return self._recorder.called_names

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
        """Give every node a gradient of zero and a ``_backward``: how an engine starts them is another concept."""
        inner = [name for name, below in self.operands.items() if below]
        recorders = self._weighted(inner) if self.weights else self._plain(inner)
        backwards = dict(zip(inner, recorders, strict=True))
        (nothing,) = self._student.make_relays([(None, (), "grad", 0.0)])
        self.set_grads(0.0)
        self._student.set_attributes(
            (node, "_backward", backwards.get(name, nothing)) for name, node in self.nodes.items()
        )

    def _built(self, Value, numbers):
        nodes = {}
        for name, below in self.operands.items():
            parts = [nodes[operand] for operand in below]
            nodes[name] = parts[0] + (parts[1] if len(parts) > 1 else Value(0.0)) if parts else Value(numbers[name])
            for part in parts[2:]:
                nodes[name] = nodes[name] + part
        return nodes

    def _plain(self, names):
        """Return recorders that give every operand a gradient of one."""
        return self._student.make_relays(
            (self._recorder.make_callback(name), self._below(name), "grad", 1.0) for name in names
        )

    def _weighted(self, names):
        """Return recorders that give every operand its weight times the node's own gradient."""
        make_callback, weights = self._recorder.make_callback, self.weights
        return self._student.make_gradient_adders(
            (make_callback(name), self.nodes[name], self._below(name), weights[name], "grad") for name in names
        )

    def _below(self, name):
        """Return a node's operands, each once."""
        return [self.nodes[operand] for operand in dict.fromkeys(self.operands[name])]

    def note_grad_of(self, name):
        """Also note the gradient that this node has when its ``_backward`` is called."""
        (relay,) = self._plain([name])
        (self._readers[name],) = self._student.make_attribute_reading_relays([(self.nodes[name], "grad", relay)])
        self.nodes[name]._backward = self._readers[name]

    def grads_at_call(self, name):
        """Return the gradients that this node had at the calls of its ``_backward``; see ``note_grad_of``."""
        return self._readers[name].found

    def make_passing_nothing(self, names):
        """Give these nodes a ``_backward`` that does nothing."""
        nothing = self._student.make_relays([(None, (), "grad", 0.0)] * len(names))
        self._student.set_attributes(
            (self[name], "_backward", made) for name, made in zip(names, nothing, strict=True)
        )

    def make_silent(self, names):
        """Let these nodes pass a gradient of one on without telling the test; for very long chains."""
        below = [[self.nodes[operand] for operand in self.operands[name]] for name in names]
        silent = self._student.make_relays((None, nodes, "grad", 1.0) for nodes in below)
        self._student.set_attributes(
            (self.nodes[name], "_backward", made) for name, made in zip(names, silent, strict=True)
        )

    def count_iterations(self, max_count):
        """Count how often the nodes' operands are gone through, and stop whoever goes beyond ``max_count``."""
        return self._student.count_iterations([] if self.by_operators else self.nodes.values(), "_prev", max_count)

    def grads(self, names):
        """Return the gradients of these nodes."""
        return self._student.get_attributes([self.nodes[name] for name in names], "grad")

    def numbers(self):
        """Return the data of all nodes."""
        return self._student.get_attributes(self.nodes.values(), "data")

    def set_grads(self, grad, names=None):
        """Give these nodes, or all, a gradient."""
        self._student.set_attributes((self.nodes[name], "grad", grad) for name in names or self.nodes)

    def reachable(self, root):
        """Return names of the nodes below ``root`` that have operands, itself included."""
        found, waiting = [], [root]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.append(name)
                waiting += self.operands[name]
        return {name for name in found if self.operands[name]}

    def first_called_too_early(self):
        """Return the first (node, user) pair with the node called before its user; None if all is well."""
        for position, name in enumerate(self.calls):
            for user in self.calls[position + 1 :]:
                if name in self.operands[user]:
                    return name, user
        return None


def sets_operands(student, node, operand):
    """Give a node one operand, and return whether it takes it: its ``_prev`` may be of a kind of its own."""
    kind = CONTAINERS.get(student.get_class_name(operand._prev))
    if kind is None:
        return False
    try:
        node._prev = kind([operand])
        return [*node._prev] == [operand]
    except (StudentError, AttributeError, TypeError):
        return False
