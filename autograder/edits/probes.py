"""Make programs that only tell something: without the body of a function, or failing where a condition holds."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from autograder.edits.splicing import Function, Source, list_functions
from autograder.syntax_trees import SyntaxTree, parse_bounded_source


@dataclass(frozen=True, slots=True)
class FunctionBody:
    """The lines of a function below its head, and the program without them."""

    function: str
    """The outermost function's path, such as ``Value.tanh``."""
    line: int
    end_line: int
    text_without: str
    """The whole source, in which the function raises, and all other lines stand where they stood."""


def list_function_bodies(source: str) -> list[FunctionBody]:
    r"""Return the outermost functions of a program whose bodies begin on a line of their own.

    >>> [body.text_without for body in list_function_bodies("def half(x):\n    y = x / 2\n    return y\n")]
    ['def half(x):\n    raise ArithmeticError\n\n']
    """
    tree = parse_bounded_source(source)
    if not isinstance(tree, SyntaxTree):
        return []
    parsed = Source(source, tree.tree)
    functions = [place for place in list_functions(tree.tree) if place.node is place.outermost]
    bodies = []
    for place in functions:
        span = find_body(parsed, place.node)
        if span is None:
            continue
        start, end = span
        raising = parsed.indent(place.node.body[0]) + "raise ArithmeticError"
        breaks = parsed.line_break * (len(parsed.text[start:end].splitlines()) - 1)
        rest = source[end:] if source[end - 1] not in "\r\n" else parsed.line_break + source[end:]
        bodies.append(
            FunctionBody(
                place.path, parsed.line_at(start), parsed.line_at(end - 1), source[:start] + raising + breaks + rest
            )
        )
    return bodies


def find_body(source: Source, function: Function) -> tuple[int, int] | None:
    """Return where the lines of a function's body start and end; None where other code shares these lines."""
    first, last = function.body[0], function.body[-1]
    if getattr(first, "decorator_list", None):
        return None
    return source.lines_of(first, last)


FAILS = "1 / 0"


class ConditionProbe(NamedTuple):
    """A program that goes on as before as long as one condition is always true, or never."""

    condition: str
    """Its code as the parser writes it, and what it must be."""
    text: str


def iterate_condition_probes(text: str, function: str) -> Iterator[ConditionProbe]:
    """Yield two probes for each condition of the outermost function around a path, such as ``Value.__mul__.step``."""
    parsed = parse_bounded_source(text)
    if not isinstance(parsed, SyntaxTree):
        return
    source = Source(text, parsed.tree)
    for place in list_functions(parsed.tree):
        if place.node is place.outermost and f"{function}.".startswith(f"{place.path}."):
            for condition in _iterate_conditions(place.node):
                start, end = source.span(condition)
                for word in ("and", "or"):
                    probe = f"{text[:start]}(({text[start:end]}) {word} {FAILS}){text[end:]}"
                    yield ConditionProbe(f"{word} {ast.unparse(condition)}", probe)


def _iterate_conditions(function: ast.AST) -> Iterator[ast.expr]:
    """Yield the conditions of a function, then the parts of those that are joined by ``and`` or ``or``."""
    for node in ast.walk(function):
        tests = [node.test] if isinstance(node, ast.If | ast.While | ast.IfExp) else getattr(node, "ifs", [])
        for test in tests:
            parts = test.values if isinstance(test, ast.BoolOp) else []
            yield from (one for one in (test, *parts) if not isinstance(one, ast.Constant))
