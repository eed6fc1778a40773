"""Define the type of mutation operators, and how they copy and make nodes of syntax trees."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

Node = TypeVar("Node", bound=ast.AST)


@dataclass(frozen=True, slots=True)
class EnclosingFunctions:
    """The functions around a node, with their local variables and inner functions."""

    enclosing: tuple[str, ...] = ()
    """Names of the functions around the node, outermost first."""
    local_variables: tuple[str, ...] = ()
    """Parameters and local variables of these functions."""
    functions: tuple[str, ...] = ()
    """Names of functions defined in these functions."""


Operator = Callable[[ast.AST, EnclosingFunctions], Iterator[ast.AST]]
"""Takes a node, and yields nodes to replace it. It does not change the node; a replacement shares child nodes with
its original."""

ARITHMETIC: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add, ast.Div),
    ast.Div: (ast.Mult,),
    ast.Pow: (ast.Mult,),
}
"""The operators that each one may be confused with, the most important one first."""


def copy_node_with_fields(node: Node, **fields: Any) -> Node:
    """Return a copy of a node in which these fields are replaced."""
    other = copy.copy(node)
    for field, value in fields.items():
        setattr(other, field, value)
    return other


def make_name_node(identifier: str) -> ast.Name:
    """Return a node that reads a variable."""
    return ast.Name(identifier, ast.Load())


def leave_one_out(nodes: list[Any]) -> Iterator[list[Any]]:
    """Yield the list without each of its members in turn."""
    return ([*nodes[:index], *nodes[index + 1 :]] for index in range(len(nodes)))
