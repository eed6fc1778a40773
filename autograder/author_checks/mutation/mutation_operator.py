"""Define the type of mutation operators, and what they share."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass


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
