"""Read hidden suites that use former names of markers and fixtures: the names keep working, and authors are told."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

NEW_MARKER_NAMES = {"about": "subject", "kept": "redundant_ok", "beyond": "beyond_contract"}
"""The name of each renamed marker, by its former name."""
NEW_FIXTURE_NAMES = {"about": "subject"}
FORMER_MARKER_HELP = tuple(f"{former}: the former name of `{new}`" for former, new in NEW_MARKER_NAMES.items())


@dataclass(frozen=True, slots=True)
class SuiteNameOccurrence:
    """One occurrence of a marker or of a requested fixture in a source file."""

    kind: Literal["marker", "fixture"]
    name: str
    line: int
    column: int
    """In bytes of UTF-8, from 0, as the nodes of ``ast`` count."""


def iterate_markers(item: pytest.Item, name: str) -> Iterator[pytest.Mark]:
    """Yield the markers of a test that have this name or its former one, the nearest first."""
    return (mark for mark in item.iter_markers() if NEW_MARKER_NAMES.get(mark.name, mark.name) == name)


def get_closest_marker(item: pytest.Item, name: str) -> pytest.Mark | None:
    """Return the nearest marker of a test that has this name or its former one; None if there is none."""
    return next(iterate_markers(item, name), None)


def describe_former_names(path: Path) -> str:
    """Return a sentence on the former names that a file of a suite uses; empty if it uses none or is not Python."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return ""
    lines: dict[str, int] = {}
    for one in sorted(_iterate_suite_names(tree), key=lambda one: (one.line, one.column)):
        if new := (NEW_MARKER_NAMES if one.kind == "marker" else NEW_FIXTURE_NAMES).get(one.name):
            lines.setdefault(f"the {one.kind} `{one.name}` is now called `{new}`", one.line)
    if not lines:
        return ""
    return f"{path}:{min(lines.values())}: {', '.join(lines)}; former names keep working."


def _iterate_suite_names(tree: ast.Module) -> Iterator[SuiteNameOccurrence]:
    """Yield the markers, and the fixtures that tests and fixtures request, wherever their bodies use them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_mark_generator(node.value):
            column = (node.end_col_offset or 0) - len(node.attr.encode())
            yield SuiteNameOccurrence("marker", node.attr, node.end_lineno or node.lineno, column)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _gets_fixtures(node):
            requested = {argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)}
            for child in ast.walk(node):
                if isinstance(child, ast.arg) and child.arg in requested:
                    yield SuiteNameOccurrence("fixture", child.arg, child.lineno, child.col_offset)
                elif isinstance(child, ast.Name) and child.id in requested:
                    yield SuiteNameOccurrence("fixture", child.id, child.lineno, child.col_offset)


def is_mark_generator(node: ast.expr) -> bool:
    """Return whether an expression is ``pytest.mark``, or ``mark`` as it may be imported."""
    match node:
        case ast.Attribute(attr="mark") | ast.Name(id="mark"):
            return True
    return False


def _gets_fixtures(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether pytest calls a function with fixtures: it is a test or a fixture."""
    called = [one.func if isinstance(one, ast.Call) else one for one in function.decorator_list]
    names = [one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "") for one in called]
    return function.name.startswith("test") or "fixture" in names
