"""Read the texts that an expression in a function's source may have when the program runs."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable
from dataclasses import dataclass

ANYTHING = "…"
"""Stands for what is known only when the program runs."""
MOST_READINGS = 64


@dataclass(frozen=True, slots=True)
class FunctionTexts:
    """A function with the texts that its variables may have."""

    name: str
    parameters: tuple[str, ...]
    values: dict[str, list[ast.expr]]


def find_assigned_expressions(nodes: Iterable[ast.AST]) -> dict[str, list[ast.expr]]:
    """Return what statements among ``nodes`` assign to each name."""
    values: dict[str, list[ast.expr]] = {}
    for one in nodes:
        if not isinstance(one, ast.Assign):
            continue
        for target in one.targets:
            if isinstance(target, ast.Tuple) and isinstance(one.value, ast.Tuple):
                pairs = [*zip(target.elts, one.value.elts, strict=False)]
            else:
                pairs = [(target, one.value)]
            for name, value in pairs:
                if isinstance(name, ast.Name):
                    values.setdefault(name.id, []).append(value)
    return values


def read_texts(node: ast.expr | None, function: FunctionTexts, seen: frozenset[str] = frozenset()) -> list[str]:
    """Return the readings of an expression; none if it holds no text of its own."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.FormattedValue(value=value):
            return read_texts(value, function, seen) or [ANYTHING]
        case ast.JoinedStr(values=parts):
            readings = itertools.product(*(read_texts(part, function, seen) for part in parts))
            return ["".join(one) for one in itertools.islice(readings, MOST_READINGS)]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            starts, ends = (read_texts(one, function, seen) or [ANYTHING] for one in (left, right))
            return [start + end for start in starts for end in ends]
        case ast.IfExp(body=body, orelse=other):
            return [*read_texts(body, function, seen), *read_texts(other, function, seen)]
        case ast.Call(func=ast.Name(id="choose_by_count"), args=[_, singular, plural]):
            return [*read_texts(singular, function, seen), *read_texts(plural, function, seen)]
        case ast.Name(id=name) if name in function.values and name not in seen:
            return [text for one in function.values[name] for text in read_texts(one, function, seen | {name})]
    return []
