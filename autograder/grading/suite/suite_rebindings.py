"""Find the names that a hidden suite rebinds in its modules while its tests run: a value may decide about these."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

FEW = 64
"""Files whose names are remembered."""
BINDING_CALLS = frozenset({"setattr", "delattr", "setitem", "delitem"})
"""Functions, and methods of ``monkeypatch``, that bind what a text among their arguments names."""
NAMESPACES = frozenset({"globals", "vars", "__dict__", "exec", "eval"})
"""Names through which any name may be bound."""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True, slots=True)
class ReboundNames:
    """Names that tests may rebind in the modules of their suite."""

    names: frozenset[str] = frozenset()
    may_be_any: bool = False
    """Whether names may be rebound that do not stand in the source."""

    def may_include(self, *names: str) -> bool:
        """Return whether one of some names may be rebound."""
        return self.may_be_any or not self.names.isdisjoint(names)


def find_names_rebound_by_tests(suite_folder: Path) -> ReboundNames:
    """Return the names that the functions of a suite may rebind in a module; any name, if a file cannot be read.

    Args:
        suite_folder: the folder of the hidden suite.
    """
    try:
        found = [_find_in_source(path.read_bytes()) for path in sorted(suite_folder.rglob("*.py"))]
    except (OSError, SyntaxError, ValueError):
        return ReboundNames(may_be_any=True)
    return ReboundNames(
        frozenset(name for one in found for name in one.names), may_be_any=any(one.may_be_any for one in found)
    )


def iterate_global_statements(tree: ast.AST) -> Iterator[ast.Global]:
    """Yield the ``global`` statements inside functions, each once."""
    within = {
        node: None
        for function in ast.walk(tree)
        if isinstance(function, FUNCTIONS)
        for node in ast.walk(function)
        if isinstance(node, ast.Global)
    }
    yield from within


@lru_cache(FEW)
def _find_in_source(source: bytes) -> ReboundNames:
    tree = ast.parse(source)
    names = {name for statement in iterate_global_statements(tree) for name in statement.names}
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()):
                names.add(name)  # of a module, perhaps
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in NAMESPACES:
                return ReboundNames(may_be_any=True)
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args) if name in BINDING_CALLS:
                texts = [one.value for one in args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
                if not texts:
                    return ReboundNames(may_be_any=True)
                names |= {text.rpartition(".")[2] for text in texts}
    return ReboundNames(frozenset(names))
