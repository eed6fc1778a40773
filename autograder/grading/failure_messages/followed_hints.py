"""Find out whether a program already does what a hint proposes, so that the hint is not shown.

A hint proposes the code between its backticks, if that does something: sets, adds, gives back, compares, calls with
arguments. A name, an attribute or a method alone is only spoken of. Code stands in a method if it does there with the
same names; a bare operator such as ``+=`` does, if the method changes an attribute with it, and sets the same
attribute in no other way.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

from autograder.cached_syntax_trees import FEW, try_parse_program
from autograder.syntax_tree import SHARED

CODE = re.compile(r"`([^`\n]+)`")
OPERATORS: Mapping[str, type[ast.operator]] = {"+=": ast.Add, "-=": ast.Sub, "*=": ast.Mult}
DOES_SOMETHING = (
    ast.Assign, ast.AugAssign, ast.Return, ast.BinOp, ast.Compare, ast.Subscript, ast.IfExp, ast.For, ast.Call
)  # fmt: skip


def does_program_follow_hint(
    hint: str, method_names: Collection[str], source_by_file_or_cell: Mapping[str, str]
) -> bool:
    r"""Return whether everything that a hint proposes stands in the methods and functions that it is about.

    Args:
        hint: the hint, with code between backticks.
        method_names: what the failed tests are about, such as ``__add__`` or ``Layer.__call__``.
        source_by_file_or_cell: the submission's text.

    >>> source = {"value.py": "def f(a, out):\n    a.grad += out.grad\n    return out"}
    >>> does_program_follow_hint("Add, with `+=`.", ["f"], source)
    True
    >>> does_program_follow_hint("The last line is `return a`.", ["f"], source)
    False
    """
    spans = CODE.findall(hint)
    proposals = [tree for tree in map(_parse_proposal, spans) if tree is not None]
    operators = [OPERATORS[span] for span in spans if span in OPERATORS]
    if not proposals and not operators:
        return False
    names = frozenset(name.rpartition(".")[2] for name in method_names)
    nodes = _list_nodes_of_functions((*source_by_file_or_cell.values(),), names)
    return all(_stands_among(tree, nodes) for tree in proposals) and all(
        _changes_with((node for node, _ in nodes), operator) for operator in operators
    )


def _parse_proposal(code: str) -> ast.AST | None:
    """Return the node of code that does something; None for names, for what is not Python, and for an open end."""
    try:
        (statement,) = ast.parse(code).body
    except (SyntaxError, ValueError):
        return None
    node = statement.value if isinstance(statement, ast.Expr) else statement
    if not isinstance(node, DOES_SOMETHING) or any(
        isinstance(part, ast.Constant) and part.value is ... for part in ast.walk(node)
    ):
        return None
    return None if isinstance(node, ast.Call) and not node.args else node


def _stands_among(proposal: ast.AST, nodes: Iterable[tuple[ast.AST, int]]) -> bool:
    size = sum(not isinstance(part, SHARED) for part in ast.walk(proposal))
    text = ast.dump(proposal)
    return any(type(node) is type(proposal) and size == own and ast.dump(node) == text for node, own in nodes)


def _changes_with(nodes: Iterable[ast.AST], operator: type[ast.operator]) -> bool:
    """Return whether attributes are changed by an operator, and none of these is set by ``=`` or another operator."""
    changed, otherwise = set[str](), set[str]()
    for node in nodes:
        match node:
            case ast.AugAssign(target=ast.Attribute(attr=name), op=op):
                (changed if isinstance(op, operator) else otherwise).add(name)
            case ast.Assign(targets=targets):
                otherwise.update(target.attr for target in targets if isinstance(target, ast.Attribute))
    return bool(changed) and changed.isdisjoint(otherwise)


@lru_cache(FEW)
def _list_nodes_of_functions(sources: tuple[str, ...], names: frozenset[str]) -> list[tuple[ast.AST, int]]:
    """Return every node of the functions with these names, each with the size of its subtree."""
    return [
        (node, syntax.count_subtree(node))
        for syntax in try_parse_program(sources)
        if syntax is not None
        for function in syntax.nodes
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and function.name in names
        for node in syntax.list_subtree(function)
    ]
