"""Which cell a name is taken from, when a notebook defines it more than once and tags say ``solution``.

What an untagged cell says of such a name is left out, statement by statement: an import or a helper in the same cell
may be what the tagged cell needs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from autograder.submissions.magics import MOST_PARSED, parsed
from autograder.submissions.model import Unit
from autograder.text import listed

FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITION = (*FUNCTION, ast.ClassDef, ast.Import, ast.ImportFrom)
SCOPE = (*FUNCTION, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def prefer_tagged(units: tuple[Unit, ...], names: Sequence[str]) -> tuple[tuple[Unit, ...], tuple[str, ...]]:
    """Leave out what untagged cells say of a name that a tagged cell defines.

    Args:
        units: of one file, in order.
        names: that a submission must define.

    Returns:
        The units, as many and with the same lines, and a sentence for each name of which something was left out.
    """
    if not any(unit.tagged for unit in units):
        return units, ()
    definers = {name: [unit for unit in units if _defines(unit, name)] for name in names}
    dropped: dict[str, set[str]] = {}
    notes = []
    for name, cells in definers.items():
        kept = [unit.name for unit in cells if unit.tagged]
        others = [unit.name for unit in cells if not unit.tagged]
        if kept and others:
            for other in others:
                dropped.setdefault(other, set()).add(name)
            notes.append(
                f"{listed(kept)} {_has(kept)} the tag `solution`, so {name} is taken from there; "
                f"{name} in {listed(others)} was left out."
            )
    return tuple(_without(unit, dropped[unit.name]) if unit.name in dropped else unit for unit in units), tuple(notes)


def _has(cells: Sequence[str]) -> str:
    return "has" if len(cells) == 1 else "have"


def _defines(unit: Unit, name: str) -> bool:
    """Whether a cell defines a name afresh: ``class Value(Value)`` builds on a definition and is none."""
    tree = parsed(unit.source)
    if tree is not None:
        return any(name in _bound(node) and not _reads(node, name) for body in tree.body for node in _here(body))
    if len(unit.source) <= MOST_PARSED:
        return False  # a syntax error: nothing of it can be run
    word = re.escape(name)
    return re.search(rf"^(?:class|def)\s+{word}\b(?!\s*\(\s*{word}\b)", unit.source, re.M) is not None


def _here(*nodes: ast.AST) -> Iterator[ast.AST]:
    """Nodes and what of them runs with them: not the insides of functions and classes."""
    left = [*nodes]  # and no recursion: a tree may be deep
    while left:
        node = left.pop()
        yield node
        if not isinstance(node, SCOPE):
            left += ast.iter_child_nodes(node)


def _bound(node: ast.AST) -> list[str]:
    """The names that a statement gives a meaning to, those of statements within it aside."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [node.name]
        case ast.Import() | ast.ImportFrom():
            return [alias.asname or alias.name.partition(".")[0] for alias in node.names]
        case ast.Assign():
            targets: Sequence[ast.expr] = node.targets
        case ast.AnnAssign() if node.value is not None:
            targets = [node.target]
        case _:
            return []
    parts = (part for target in targets for part in ast.walk(target))
    return [part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]


def _reads(node: ast.AST, name: str) -> bool:
    """Whether a definition needs what the name meant before."""
    match node:
        case ast.ClassDef():
            needed: list[ast.AST] = [*node.decorator_list, *node.bases, *node.keywords]
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            needed = [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
        case ast.Assign() | ast.AnnAssign() if node.value is not None:
            needed = [node.value]
        case _:
            return False
    return any(isinstance(part, ast.Name) and part.id == name for part in _here(*needed))


def _without(unit: Unit, names: set[str]) -> Unit:
    """A cell without what defines these names or works on them at once; lines keep their numbers."""
    tree = parsed(unit.source)
    if tree is None:
        return replace(unit, source="")
    lines = unit.source.replace("\r\n", "\n").replace("\r", "\n").encode().split(b"\n")
    for statement in reversed(tree.body):
        if not _is_about(statement, names):
            continue
        first, column = statement.lineno, statement.col_offset
        if decorators := getattr(statement, "decorator_list", []):
            first, column = decorators[0].lineno, 0
        last = statement.end_lineno or first
        before, after = lines[first - 1][:column], lines[last - 1][statement.end_col_offset :]
        lines[first - 1 : last] = [*[b""] * (last - first), b"pass" + after]
        lines[first - 1] = before + lines[first - 1]
    return replace(unit, source=b"\n".join(lines).decode())


def _is_about(statement: ast.stmt, names: set[str]) -> bool:
    """Whether a statement defines one of the names, or, being no definition itself, mentions one."""
    here = [*_here(statement)]
    if any(name in names for node in here for name in _bound(node)):
        return True
    mentions = any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(statement))
    return mentions and not isinstance(statement, DEFINITION)
