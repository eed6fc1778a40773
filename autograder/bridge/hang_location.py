"""Find where in its source a submission hangs, from the stack that its process reports."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from autograder.bridge.process_messages import MalformedMessage
from autograder.cached_syntax_trees import may_parse_together, parse_bounded_source
from autograder.syntax_tree import SyntaxTree

MOST_FRAMES = 12
MOST_LINES = 8
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
LOOPS = (ast.While, ast.For, ast.AsyncFor, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """A line of a submission."""

    unit: str
    """The file or cell."""
    line: int
    function: str
    """The function around it; empty at the top of a file."""


@dataclass(frozen=True, slots=True)
class CommonStackFrame:
    """A function that was on the stack in every sample: its file or cell, and the lines that it was in."""

    unit: str
    lines: tuple[int, ...]
    """The lines that it was in, in order."""


class SubmissionSource:
    """The source text of a submission, in which locations are found. It is never run."""

    def __init__(self, units: Mapping[str, str]) -> None:
        self._units = units

    def contains_word(self, word: str) -> bool:
        """Return whether a name or an integer occurs in the text as a whole word."""
        pattern = re.compile(rf"(?<!\w)(?<!\d\.){re.escape(word)}(?!\w|\.\d)", re.ASCII)
        return any(pattern.search(source) for source in self._units.values())

    def parse_stack(self, reported_stack: Any) -> list[CommonStackFrame]:
        """Return the stack that a process reported, innermost function first; leave out functions with unknown lines.

        Raises:
            MalformedMessage: the stack is not well formed.
        """
        if type(reported_stack) is not list or len(reported_stack) > MOST_FRAMES:
            raise MalformedMessage("the stack is malformed")
        frames = []
        for entry in reported_stack:
            match entry:
                case [str(unit), [*lines]] if 0 < len(lines) <= MOST_LINES and {*map(type, lines)} == {int}:
                    length = self._units.get(unit, "").count("\n") + 1
                    if unit in self._units and all(0 < line <= length for line in lines):
                        frames.append(CommonStackFrame(unit, tuple(sorted(lines))))
                case _:
                    raise MalformedMessage("the stack is malformed")
        return frames

    def find_endless_loop_or_function_start(self, frames: Sequence[CommonStackFrame]) -> SourceLocation | None:
        """Return where the outermost loop of the innermost function that is in a loop begins.

        If no function is in a loop, return where the innermost function begins; without frames, return None.

        The process is asked at a random moment, and the answer must not depend on that moment. So of nested loops,
        the outermost `while` counts, or the outermost `for` if there is no `while`.
        """
        places = [self._find_outermost_loop(frame) for frame in frames]
        return next((place for place, loops in places if loops), places[0][0] if places else None)

    def find_wait_location(self, frames: Sequence[CommonStackFrame]) -> SourceLocation | None:
        """Return where a waiting process stands still: the innermost function's last line; None without frames."""
        if not frames:
            return None
        unit, line = frames[0].unit, frames[0].lines[-1]
        inside = [
            node for node in self._list_enclosing_nodes(unit, (line, line)) if isinstance(node, ast.FunctionDef)
        ]
        return SourceLocation(unit, line, inside[-1].name if inside else "")

    def _find_outermost_loop(self, frame: CommonStackFrame) -> tuple[SourceLocation, bool]:
        """Return where the outermost loop around the lines begins, or else its function; and whether it is a loop."""
        loops: list[ast.AST] = []
        name, first_line = "", frame.lines[0]
        for node in self._list_enclosing_nodes(frame.unit, (frame.lines[0], frame.lines[-1])):
            if isinstance(node, FUNCTIONS):
                loops, first_line = [], node.lineno
                name = getattr(node, "name", name)
            elif isinstance(node, LOOPS):
                loops.append(node)
        whiles = [node for node in loops if isinstance(node, ast.While)]
        loop: Any = next(iter(whiles or loops), None)
        return SourceLocation(frame.unit, loop.lineno if loop else first_line, name), loop is not None

    def _list_enclosing_nodes(self, unit: str, lines: tuple[int, int]) -> list[ast.AST]:
        """Return the functions and loops around some lines, the outermost first."""
        nodes = [
            node for first, last, node in self._nodes_by_unit.get(unit, ()) if first <= lines[0] and lines[1] <= last
        ]
        return sorted(nodes, key=lambda node: (node.lineno, -(node.end_lineno or 0)))  # type: ignore[attr-defined]

    @cached_property
    def _nodes_by_unit(self) -> dict[str, list[tuple[int, int, ast.AST]]]:
        """Return the functions and loops of each file, with their first and last lines."""
        nodes_by_unit: dict[str, list[tuple[int, int, ast.AST]]] = {}
        if not may_parse_together([*self._units.values()]):
            return nodes_by_unit
        for unit, source in self._units.items():
            parsed = parse_bounded_source(source)
            if not isinstance(parsed, SyntaxTree):
                continue
            nodes = [node for node in ast.walk(parsed.tree) if isinstance(node, (*FUNCTIONS, *LOOPS))]
            nodes_by_unit[unit] = [(node.lineno, node.end_lineno or node.lineno, node) for node in nodes]
        return nodes_by_unit
