"""Decide by where an object stands in a syntax tree whether it escapes: whether anything may keep or change it."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from autograder.grading.source_analysis.ast_names import FUNCTIONS, get_last_name
from autograder.syntax_tree import SyntaxTree

LOOKING = frozenset(
    {
        *("isinstance", "issubclass", "callable", "print", "repr", "str", "id", "hash", "len", "bool", "super"),
        *("__new__", "hasattr"),
    }
)
"""Functions that neither change nor keep their arguments, nor return them."""
CALLING = frozenset({"map", "filter", "reduce", "partial", "wraps"})
"""Functions that only call their first argument."""
CALLED_KEYWORDS = frozenset({"key", "default_factory"})
"""Arguments that are only called."""


def is_inside_function(node: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> bool:
    """Return whether a node is in a function, its default values included."""
    above = parents.get(node)
    while above is not None and not isinstance(above, FUNCTIONS):
        above = parents.get(above)
    return above is not None


def is_type_of_cast(node: ast.AST, syntax: SyntaxTree) -> bool:
    """Return whether a node is the type in ``cast(type, value)``."""
    above = syntax.parents[node]
    return isinstance(above, ast.Call) and get_last_name(above) == "cast" and above.args[:1] == [node]


def does_not_escape(node: ast.expr, syntax: SyntaxTree) -> bool:
    """Return whether an object is only called or looked at where it stands, so that nothing keeps or changes it."""
    above = syntax.parents[node]
    match above:
        case ast.Call(func=function, args=arguments):
            called = get_last_name(above)
            first = arguments[:1] == [node]
            return (
                function is node
                or called in LOOKING
                or (first and called in CALLING)
                or is_type_of_cast(node, syntax)
            )
        case ast.keyword(arg=name):
            return name in CALLED_KEYWORDS or get_last_name(syntax.parents[above]) in ("print", "TypeVar")
        case ast.Compare() | ast.Expr() | ast.FormattedValue() | ast.Raise() | ast.ExceptHandler():
            return True
        case ast.If() | ast.While() | ast.Assert() | ast.MatchClass():
            return True
        case ast.IfExp(test=test):
            return test is node or does_not_escape(above, syntax)
        case ast.Subscript(value=value) if value is node and does_not_escape(above, syntax):
            return True
        case ast.UnaryOp(op=ast.Not()):
            return True
        case ast.ClassDef(bases=bases, decorator_list=decorators):
            return node in bases or node in decorators
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return True  # a decorator, or the annotation of what is returned
    return _is_part_of_type(node, syntax)


def _is_part_of_type(node: ast.expr, syntax: SyntaxTree) -> bool:
    """Return whether a node is in ``list[node]``, ``(int, node)`` or ``int | node``, which is used as a type only."""
    whole: ast.AST = node
    while isinstance(syntax.parents[whole], ast.Subscript | ast.Tuple | ast.List | ast.BinOp):
        whole = syntax.parents[whole]
    above = syntax.parents[whole]
    if isinstance(above, ast.Call):
        return get_last_name(above) in ("isinstance", "issubclass") and whole is not above.func
    if isinstance(above, ast.arg | ast.AnnAssign):
        return above.annotation is whole
    if isinstance(above, ast.FunctionDef | ast.AsyncFunctionDef):
        return above.returns is whole
    if isinstance(above, ast.ClassDef):
        return whole in above.bases
    return isinstance(above, ast.ExceptHandler)
