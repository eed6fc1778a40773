"""The reference solution as somebody else would have typed it, and what is left of a program without comments."""

from __future__ import annotations

import ast
import builtins
import random
import re
from collections.abc import Iterator

WORDS = {
    "out": ("out", "result", "res", "new", "ret", "output"),
    "t": ("t", "th", "val", "x", "activation"),
    "topo": ("topo", "order", "ordered", "nodes", "postorder"),
    "visited": ("visited", "seen", "done", "marked"),
    "stack": ("stack", "todo", "work", "pending"),
    "node": ("node", "v", "n", "current", "vertex"),
    "operand": ("operand", "child", "parent", "p", "c"),
    "operands": ("operands", "children", "parents", "rest"),
    "walk": ("walk", "visit", "build_topo", "dfs"),
    "_backward": ("_backward", "_bw", "backward_step", "_local", "pass_on"),
    "nothing": ("nothing", "no_op", "do_nothing", "_leaf"),
}
"""What people call the local variables of the reference solution."""
COMMENTS = (
    "TODO: clean up",
    "as in the lecture",
    "see the handout",
    "chain rule",
    "works for me",
    "check this again",
)


def retyped(source: str, draws: random.Random) -> str:
    """Return a program that does the same, with other local names, comments, docstrings and annotations.

    Args:
        source: the reference solution, perhaps edited. Its parameters and attributes keep their names.
        draws: chooses.
    """
    tree = ast.parse(source)
    if draws.random() < 0.5:
        _drop_docstrings(tree)
    if draws.random() < 0.5:
        tree = _WithoutAnnotations().visit(tree)
    tree = _Renamed(_new_names(tree, draws)).visit(tree)
    return _commented(ast.unparse(ast.fix_missing_locations(tree)), draws)


def essence(source: str) -> str:
    """Return what two programs have in common that differ in comments, docstrings and layout alone."""
    tree = ast.parse(source)
    _drop_docstrings(tree)
    return ast.dump(tree)


def _commented(source: str, draws: random.Random) -> str:
    lines = []
    for line in source.splitlines():
        if re.match(r"\s+(def|for|while|return) ", line) and draws.random() < 0.15:
            lines.append(f"{line[: -len(line.lstrip())]}# {draws.choice(COMMENTS)}")
        lines.append(line)
    return "\n".join(lines) + "\n"


def _drop_docstrings(tree: ast.AST) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]


def _new_names(tree: ast.AST, draws: random.Random) -> dict[str, str]:
    """Return new names for local variables; no new name stands anywhere in the program."""
    taken = {*_names(tree), *dir(builtins)}
    local = {name for function in _functions(tree) for name in _bound_in(function)} & WORDS.keys()
    chosen: dict[str, str] = {}
    for name in sorted(local - _fixed(tree)):
        new = draws.choice(WORDS[name])
        if new not in taken:
            chosen[name] = new
            taken.add(new)
    return chosen


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def _bound_in(function: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.FunctionDef) and node is not function:
            yield node.name


def _names(tree: ast.AST) -> Iterator[str]:
    """Return every word that stands for something."""
    for node in ast.walk(tree):
        for field in ("id", "name", "arg", "attr"):
            found = getattr(node, field, None)
            if isinstance(found, str):
                yield found


def _fixed(tree: ast.AST) -> set[str]:
    """Return names that others may use: of parameters, methods, and what a module or a class binds."""
    fixed = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    for holder in ast.walk(tree):
        if isinstance(holder, ast.Module | ast.ClassDef):
            for statement in holder.body:
                fixed |= {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and _binds(statement)}
    return fixed


def _binds(statement: ast.stmt) -> bool:
    return not isinstance(statement, ast.FunctionDef | ast.ClassDef)


class _Renamed(ast.NodeTransformer):
    """Gives local variables other names; methods, attributes and parameters stay."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names
        self._depth = 0

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self._names.get(node.id, node.id), node.ctx)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.Nonlocal:
        return ast.Nonlocal([self._names.get(name, name) for name in node.names])

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        if self._depth:
            node.name = self._names.get(node.name, node.name)
        self._depth += 1
        self.generic_visit(node)
        self._depth -= 1
        return node


class _WithoutAnnotations(ast.NodeTransformer):
    """Drops what types are."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(node.arg)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.returns = None
        self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        return ast.Assign([node.target], node.value) if node.value else node
