"""Find the places in a program's syntax tree where a node can be replaced."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from autograder.edits.model import Scope

NO_CODE = ("annotation", "returns", "type_comment", "type_params", "ctx")
"""Fields of a node that have no effect when the program runs."""
OUTSIDE = Scope()


@dataclass(frozen=True, slots=True)
class MutationSite:
    """A place in the tree where a node can be replaced: a field of its parent, or an item of a list in that field."""

    parent: ast.AST
    field: str
    index: int | None
    scope: Scope

    @property
    def node(self) -> ast.AST:
        """Return the node that is at this place now."""
        value = getattr(self.parent, self.field)
        node: ast.AST = value if self.index is None else value[self.index]
        return node

    def replace_node(self, replacement: ast.AST) -> None:
        """Put another node at this place."""
        if self.index is None:
            setattr(self.parent, self.field, replacement)
        else:
            getattr(self.parent, self.field)[self.index] = replacement


def iterate_mutation_sites(root: ast.AST, root_scope: Scope = OUTSIDE) -> Iterator[MutationSite]:
    """Yield every place below a node, from the top of the file to its end.

    Args:
        root: a node of a tree that does not change during the iteration.
        root_scope: the functions around the node.
    """
    for field, value in ast.iter_fields(root):
        if field in NO_CODE:
            continue
        children = list(enumerate(value)) if isinstance(value, list) else [(None, value)]
        for index, child in children:
            if isinstance(child, ast.AST):
                child_scope = _extend_scope(child, root_scope)
                yield MutationSite(
                    root, field, index, child_scope if isinstance(child, ast.FunctionDef) else root_scope
                )
                yield from iterate_mutation_sites(child, child_scope)


def _extend_scope(node: ast.AST, scope: Scope) -> Scope:
    """Return the scope of the nodes inside ``node``."""
    match node:
        case ast.ClassDef():
            return OUTSIDE
        case ast.FunctionDef():
            parameters = [
                parameter.arg for parameter in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            ]
            nodes = list(ast.walk(node))
            assigned = [
                inner_node.id
                for inner_node in nodes
                if isinstance(inner_node, ast.Name) and isinstance(inner_node.ctx, ast.Store)
            ]
            functions = [
                inner_node.name
                for inner_node in nodes
                if isinstance(inner_node, ast.FunctionDef) and inner_node is not node
            ]
            return Scope(
                (*scope.enclosing, node.name),
                tuple(dict.fromkeys((*scope.local_variables, *parameters, *assigned))),
                tuple(dict.fromkeys((*scope.functions, *functions))),
            )
        case _:
            return scope
