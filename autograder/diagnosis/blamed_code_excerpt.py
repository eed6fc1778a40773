"""Find the lines of a submission that a counterexample points to, as far as the evidence allows.

The evidence is the counterexample and its recorded run; only lines that ran in it are marked. An exception gives the
line that raised it. A wrong number comes from the method that made its node. If a node's ``_backward`` adds a wrong
amount, the method that made the node contains that ``_backward``. Which nodes are called, and in which order, is
decided by the method that the program calls on the result. If a method is not defined exactly once, no lines are
returned. The source is parsed and never run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from msgspec import Struct

from autograder.cached_syntax_trees import try_parse_program
from autograder.diagnosis.counterexample_model import Counterexample, Node
from autograder.diagnosis.replay.backward_replay_records import FirstWrongStep, Replay
from autograder.diagnosis.replay.gradient_increments import list_gradient_increments_by_step

MOST_LINES = 24
AROUND = 3
"""How many lines are shown before and after the marked ones, if the method is too long or not known."""
LINE_END = re.compile(r"\r\n|\r|\n")
OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.Pow: "pow", ast.USub: "neg",
}  # fmt: skip
"""https://docs.python.org/3/reference/datamodel.html#emulating-numeric-types"""
BRANCHES = (ast.If, ast.For, ast.While, ast.Try, ast.Match, ast.IfExp, ast.BoolOp)
"""Nodes with parts that may not run."""


class CodeExcerpt(Struct, frozen=True, kw_only=True):
    """A few lines of a submission."""

    file: str
    """The file, or the cell of a notebook."""
    first_line: int
    """The number of the first line shown, counted from 1."""
    lines: tuple[str, ...]
    marked: tuple[int, ...]
    """Numbers of the lines that are pointed to."""
    reason: str
    """Why these, in a sentence."""


@dataclass(frozen=True, slots=True)
class _Method:
    file: str
    tree: ast.FunctionDef

    @property
    def parameters(self) -> list[str]:
        return [one.arg for one in (*self.tree.args.posonlyargs, *self.tree.args.args)]

    def lines_that(self, do: Literal["assign", "add", "call"], names: Collection[str] = ()) -> tuple[int, ...]:
        """Return the lines that assign to a ``grad``, that add to one, or that call ``_backward``.

        Args:
            do: which of the three; ``assign`` includes ``add``.
            names: the variables with the ``grad``; empty for all.
        """
        if do == "call":
            return tuple(dict.fromkeys(_calls_of_backward(self.tree)))
        return tuple(dict.fromkeys(_assignments_of_grad(self.tree, names, only_sums=do == "add")))

    def lines_that_ran(self, lines: tuple[int, ...], *, seen: bool) -> tuple[int, ...]:
        """Return the lines, if all of them are known to have run; else none.

        Args:
            lines: lines of this method.
            seen: whether what they do was seen to happen; then a line that stands alone did it.
        """
        if seen and len(lines) == 1:
            return lines
        return () if any(line in self._lines_that_may_not_run for line in lines) else lines

    @property
    def _lines_that_may_not_run(self) -> frozenset[int]:
        """Return the lines of a branch or a loop, and those after a ``return`` that stands in one."""
        found: set[int] = set()
        for node in ast.walk(self.tree):
            if isinstance(node, BRANCHES):
                found.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
                if any(isinstance(inner, ast.Return | ast.Raise) for inner in ast.walk(node)):
                    found.update(range(node.lineno, (self.tree.end_lineno or node.lineno) + 1))
        return frozenset(found)


def find_blamed_code_excerpt(
    source_by_file_or_cell: Mapping[str, str], counterexample: Counterexample, replay: Replay | None
) -> CodeExcerpt | None:
    """Return the lines that a counterexample points to; None if the evidence does not allow it.

    Args:
        source_by_file_or_cell: the text of each file or cell.
        counterexample: the counterexample.
        replay: the recorded runs of the counterexample, if there are any.
    """
    nodes = {node.name: node for node in counterexample.nodes}
    if replay and replay.student.error_file in source_by_file_or_cell:
        run = replay.student
        return _show(
            source_by_file_or_cell, run.error_file, (run.error_line,), reason=f"Your code raised {run.error} here."
        )
    if counterexample.kind == "forward" and (made := nodes.get(counterexample.first_wrong)) and made.operation:
        method = _find_method(source_by_file_or_cell, _name_method(made.operation))
        reason = f"This makes `{made.name} = {made.operation}`."
        return _show_method(source_by_file_or_cell, method, (), reason) if method else None
    if replay is None or replay.difference is None:
        return None
    if replay.difference.kind == "amount":
        return _locate_amount(source_by_file_or_cell, nodes[replay.difference.node], replay)
    call = counterexample.program[replay.difference.line]
    return _locate_call(source_by_file_or_cell, call, replay.difference, replay)


def list_blamed_names(counterexample: Counterexample | None, replay: Replay | None) -> frozenset[str]:
    """Return the names of what a counterexample shows to be wrong; empty where that is not known.

    Args:
        counterexample: the counterexample, if there is any.
        replay: its recorded runs, if there are any.
    """
    difference = replay.difference if replay else None
    if counterexample is None or difference is None or difference.kind == "missing":
        return frozenset(counterexample.about if counterexample else ())
    if difference.kind == "amount":
        operation = next(node.operation for node in counterexample.nodes if node.name == difference.node)
        return frozenset({_name_method(operation)} - {""})
    return frozenset({_name_called_method(counterexample.program[difference.line])})


def _locate_amount(sources: Mapping[str, str], node: Node, replay: Replay) -> CodeExcerpt | None:
    """Return the lines of a node's ``_backward`` that set the gradient of one operand."""
    method = _find_method(sources, _name_method(node.operation))
    if method is None or not method.lines_that("assign") or replay.difference is None:
        return None
    gradient = replay.difference.gradient
    operands = dict(zip(method.parameters, node.operands, strict=False))
    names = {parameter for parameter, operand in operands.items() if operand == gradient}
    made = f"`{node.name} = {node.operation}`"
    if gradient not in list_gradient_increments_by_step(replay.student)[replay.difference.step]:
        reason = f"This makes {made}, and its `_backward` left `{gradient}.grad` as it was."
        sets = tuple(set(method.lines_that("assign", names)) - set(method.lines_that("add", names)))
        return _show_method(sources, method, method.lines_that_ran(sets, seen=False), reason)
    marked = method.lines_that_ran(method.lines_that("assign", names), seen=True)
    if not marked:
        return _show_method(
            sources, method, (), f"This makes {made}, and the `_backward` that changes `{gradient}.grad`."
        )
    return _show_method(sources, method, marked, f"In {made}, this is what {gradient} gets.")


def _locate_call(
    sources: Mapping[str, str], call: str, difference: FirstWrongStep, replay: Replay
) -> CodeExcerpt | None:
    """Return the lines of a method that call the nodes; for a change outside calls, those that set gradients."""
    method = _find_method(sources, _name_called_method(call))
    if method is None:
        return None
    steps = [step for step in replay.student.steps if step.line == difference.line]
    if not difference.node:
        has_changed = any(not step.node for step in steps)
        marked = method.lines_that_ran(method.lines_that("assign"), seen=has_changed)
        return _show_method(sources, method, marked, f"This runs in `{call}`.")
    marked = method.lines_that_ran(method.lines_that("call"), seen=any(step.node for step in steps))
    return _show_method(
        sources, method, marked, f"This runs in `{call}`" + (" and calls the nodes." if marked else ".")
    )


def _name_called_method(call: str) -> str:
    """Return the method that a line of a program calls: ``backward`` for ``c.backward()``."""
    return call.partition(".")[2].partition("(")[0]


def _name_method(operation: str) -> str:
    """Return the name of the method an operation calls: ``__mul__`` for ``a * b``, ``__rmul__`` for ``2 * a``."""
    match ast.parse(operation or "None", mode="eval").body:
        case ast.BinOp(left=ast.Constant(), op=operator):
            return f"__r{OPERATORS[type(operator)]}__"
        case ast.BinOp(op=operator) | ast.UnaryOp(op=operator):
            return f"__{OPERATORS[type(operator)]}__"
        case ast.Call(func=ast.Attribute(attr=name)):
            return name
    return ""


def _find_method(sources: Mapping[str, str], name: str) -> _Method | None:
    """Return the one method of this name; None if there is none, or more than one."""
    found = [
        _Method(file, function)
        for file, tree in zip(sources, try_parse_program([*sources.values()]), strict=True)
        if tree
        for kind in tree.nodes
        if isinstance(kind, ast.ClassDef)
        for function in kind.body
        if isinstance(function, ast.FunctionDef) and function.name == name
    ]
    return found[0] if len(found) == 1 else None


def _assignments_of_grad(tree: ast.AST, names: Collection[str], *, only_sums: bool) -> Iterator[int]:
    for node in ast.walk(tree):
        if only_sums and not (isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add)):
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for target in targets:
            match target:
                case ast.Attribute(attr="grad", value=ast.Name(id=name)) if not names or name in names:
                    yield target.lineno


def _calls_of_backward(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "_backward":
            yield node.lineno


def _show_method(
    sources: Mapping[str, str], method: _Method, marked: tuple[int, ...], reason: str
) -> CodeExcerpt | None:
    first, last = method.tree.lineno, method.tree.end_lineno or method.tree.lineno
    return _show(sources, method.file, tuple(sorted(marked)) or (first,), first, last, reason)


def _show(
    sources: Mapping[str, str], file: str, marked: tuple[int, ...], first: int = 0, last: int = 0, reason: str = ""
) -> CodeExcerpt | None:
    """Return an excerpt with the marked lines: all lines from ``first`` to ``last``, or a part if there are many."""
    lines = [line.expandtabs(4) for line in LINE_END.split(sources[file])]
    if not all(0 < line <= len(lines) for line in marked):
        return None
    if not first or last - first >= MOST_LINES:
        first, last = max(first, marked[0] - AROUND, 1), min(marked[-1] + AROUND, len(lines))
        last = min(last, first + MOST_LINES - 1)
    return CodeExcerpt(
        file=file,
        first_line=first,
        lines=tuple(lines[first - 1 : last]),
        marked=tuple(line for line in marked if first <= line <= last),
        reason=reason,
    )
