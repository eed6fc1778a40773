"""Find the imports in the text of a submission; nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from autograder.cached_syntax_trees import try_parse_program
from autograder.syntax_tree import SyntaxTree


def list_imported_names(sources: Iterable[str]) -> list[str]:
    """Return each package that is imported somewhere, and each name from a module as ``module.name``, once.

    A source that is too long to be parsed, or is not Python, imports nothing.

    Args:
        sources: the files or cells, in order.

    >>> list_imported_names(["import numpy.linalg", "from math import tanh"])
    ['numpy', 'math', 'math.tanh']
    """
    return [
        *dict.fromkeys(name for syntax in try_parse_program([*sources]) for name in _iterate_imported_names(syntax))
    ]


def get_bound_name(alias: ast.alias) -> str:
    """Return the name that a part of an import statement binds: ``a`` for ``import a.b``."""
    return alias.asname or alias.name.partition(".")[0]


def _iterate_imported_names(syntax: SyntaxTree | None) -> Iterator[str]:
    for node in syntax.nodes if syntax else ():
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
