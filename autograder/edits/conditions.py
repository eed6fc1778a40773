"""Put probes into the conditions of a function: programs that fail where a condition is ever true, or ever false."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from autograder.edits.splicing import Source, list_functions
from autograder.syntax_trees import SyntaxTree, parse_bounded_source

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
