"""Copy and make nodes of syntax trees."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import Any, TypeVar

Node = TypeVar("Node", bound=ast.AST)


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
