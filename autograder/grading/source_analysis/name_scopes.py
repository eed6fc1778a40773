"""Find the scope that a name belongs to, as Python does."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograder.grading.source_analysis.ast_names import FUNCTIONS, iterate_all_parameters
from autograder.syntax_tree import SyntaxTree

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SCOPES = (*FUNCTIONS, *COMPREHENSIONS, ast.ClassDef)


class NameScopes:
    """The scopes of one file or cell."""

    def __init__(self, syntax: SyntaxTree) -> None:
        self._syntax = syntax
        self._bound: dict[ast.AST, set[str]] = {}
        self._heads = {part for node in syntax.nodes for part in _list_head(node)}
        for node in syntax.nodes:
            for name in _list_bound(node):
                self._bound.setdefault(self._find_binding_scope(node), set()).add(name)
        for function in syntax.nodes:
            if isinstance(function, FUNCTIONS):
                self._bound.setdefault(function, set()).update(
                    one.arg for one in iterate_all_parameters(function.args)
                )

    def list_module_level_names(self) -> set[str]:
        """Return the names that the code outside of functions and classes binds."""
        return self._bound.get(self._syntax.tree, set())

    def is_bound_at_module_level(self, node: ast.AST) -> bool:
        """Return whether the name that a node binds is one of the module."""
        return self._find_binding_scope(node) is self._syntax.tree

    def find_scope(self, name: ast.Name) -> ast.AST:
        """Return the function, class or comprehension to which a name belongs; the whole tree if to none of them."""
        inside_function = False
        for scope in self._iterate_scopes(name):
            if isinstance(scope, ast.ClassDef) and inside_function:
                continue  # functions do not see the names of the class around them
            if name.id in self._bound.get(scope, ()):
                return scope
            inside_function |= not isinstance(scope, ast.ClassDef)
        return self._syntax.tree

    def _find_binding_scope(self, node: ast.AST) -> ast.AST:
        walrus = isinstance(self._syntax.parents.get(node), ast.NamedExpr)
        for scope in self._iterate_scopes(node):
            if not (walrus and isinstance(scope, COMPREHENSIONS)):
                return scope
        return self._syntax.tree

    def _iterate_scopes(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the scopes around a node, the nearest first; what a function's head evaluates is outside of it."""
        parents = self._syntax.parents
        below, child, scope = node, node, parents.get(node)
        while scope is not None:
            evaluated = below if isinstance(child, ast.comprehension) else child
            if isinstance(scope, SCOPES) and evaluated not in self._heads:
                yield scope
            below, child, scope = child, scope, parents.get(scope)


def _list_head(scope: ast.AST) -> list[ast.AST | None]:
    """Return what a function, class or comprehension evaluates in the scope around it."""
    match scope:
        case ast.Lambda(args=arguments):
            return [arguments]
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return [scope.args, scope.returns, *scope.decorator_list]
        case ast.ClassDef():
            return [*scope.bases, *scope.keywords, *scope.decorator_list]
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return [scope.generators[0].iter]
    return []


def _list_bound(node: ast.AST) -> list[str]:
    """Return the names that a node itself binds in the scope where it stands."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return [name]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return [(one.asname or one.name).partition(".")[0] for one in names]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return [name]
        case ast.MatchMapping(rest=str(name)):
            return [name]
    return []
