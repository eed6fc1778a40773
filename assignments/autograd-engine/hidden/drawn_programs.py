"""Programs over a ``Value`` as a student writes them, and what they give, computed here in plain numbers."""

import ast
import random
from dataclasses import dataclass, field

LEAVES = (2, -3, 0.5, 5, -1.25, 7, 0, 1, 3.0, -4, 2.0**-40, 6.5, 100.0)
"""Small ints and fractions, either sign, a zero, a tiny and a larger one: sums and products of few are exact."""
CONSTANTS = (3, -2, 0.5, -1, 4, -0.25)
LARGEST = 1e6


@dataclass
class DrawnProgram:
    """Lines that make ``out`` from leaves ``v0``, ``v1`` and ``v2``; and for each leaf its gradient.

    ``sizes`` holds what the gradients would be with every derivative positive: rounding errors are a share of that.
    """

    lines: list = field(default_factory=list)
    grads: tuple = ()
    sizes: tuple = ()
    _data: list = field(default_factory=list)
    _edges: list = field(default_factory=list)

    def add(self, line, number, *edges):
        """Add a node: its line without the name, its number, and its operands with the local derivatives."""
        self.lines.append(f"v{len(self._data)} = {line}")
        self._data.append(number)
        self._edges.append(edges)

    def draw_operation(self, draw, operation):
        """Add an operation on the last node and another: near or far, or the last one again, on either side."""
        data, last = self._data, len(self._data) - 1
        other = draw.choice((last, last - 1, draw.randrange(last), draw.randrange(3)))
        left, right = draw.choice(((last, other), (other, last)))
        constant = draw.choice(CONSTANTS)
        match operation:
            case "+":
                self.add(f"v{left} + v{right}", data[left] + data[right], (left, 1), (right, 1))
            case "*":
                self.add(f"v{left} * v{right}", data[left] * data[right], (left, data[right]), (right, data[left]))
            case "+ 3":
                self.add(f"v{left} + Value({constant})", data[left] + constant, (left, 1))
            case "* 3":
                self.add(f"v{left} * Value({constant})", data[left] * constant, (left, constant))

    def finish(self):
        """Add up the last node and all that no other uses; compute the gradients."""
        used = {operand for edges in self._edges for operand, _ in edges}
        for place in sorted(set(range(len(self._data) - 1)) - used):
            last = len(self._data) - 1
            self.add(f"v{place} + v{last}", self._data[place] + self._data[last], (place, 1), (last, 1))
        self.lines.append(f"out = v{len(self._data) - 1}")
        grads, sizes = ([0.0] * (len(self._data) - 1) + [1.0] for _ in range(2))
        for place, edges in [*enumerate(self._edges)][::-1]:
            for operand, slope in edges:
                grads[operand] += slope * grads[place]
                sizes[operand] += abs(slope) * sizes[place]
        self.grads, self.sizes = tuple(grads[:3]), tuple(sizes[:3])

    @property
    def is_tame(self):
        """Return whether every leaf gets a gradient, and no number is so large that the rest is lost beside it."""
        return all(map(abs, self.grads)) and max(map(abs, (*self._data, *self.sizes))) < LARGEST


def draw_programs(count, operations, seed):
    """Draw programs of these operations: ``"+"``, ``"*"``, and ``"+ 3"`` or ``"* 3"`` for one with a new leaf.

    The same ones at every run, the shortest first.
    """
    draw, found = random.Random(seed), []
    while len(found) < count:
        program = DrawnProgram()
        for number in draw.sample(LEAVES, 3):
            program.add(f"Value({number!r})", number)
        for _ in range(draw.randint(2, 6)):
            program.draw_operation(draw, draw.choice(operations))
        program.finish()
        if program.is_tame:
            found.append(program)
    return sorted(found, key=lambda program: len(program.lines))


class _OperandSwapper(ast.NodeTransformer):
    def visit_BinOp(self, node):
        self.generic_visit(node)
        node.left, node.right = node.right, node.left
        return node


def mirror(program):
    """Return a program with the operands of every operation the other way round."""
    return ast.unparse(_OperandSwapper().visit(ast.parse(program)))


def run_program(student, program, mirrored, *expressions):
    """Run a program on the student's side, as it stands or mirrored; see ``StudentProxy.run``."""
    return student.run(mirror(program) if mirrored else program, *expressions)


def run_drawn(student, programs, mirrored, walk="out.backward()"):
    """Run programs one after the other on the student's side; return what each leaves its leaves after every walk.

    ``walk``: what is done with ``out``, one line for each reading.
    """
    lines = ["import gc", "found = []"]
    for program in programs:
        lines += [*program.lines, "found.append([])"]
        for line in walk.split("\n"):
            lines += [line, "found[-1].append([v0.grad, v1.grad, v2.grad])"]
        lines += [f"del {', '.join(line.partition(' ')[0] for line in program.lines)}", "gc.collect()"]
    (found,) = run_program(student, "\n".join(lines), mirrored, "found")
    return found
