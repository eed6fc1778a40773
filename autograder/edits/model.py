"""Define what an operator of edits is, what it knows of the place that it changes, and what is proposed."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeVar

Node = TypeVar("Node", bound=ast.AST)

EditKind = Literal[
    "assignment",
    "operator",
    "comparison",
    "condition",
    "constant",
    "sign",
    "name",
    "attribute",
    "operands",
    "term",
    "argument",
    "call",
    "default",
    "add statement",
    "remove statement",
    "move statement",
    "remove method",
    "method",
]
"""What kind of change it is. ``method`` puts another method in the place of the student's, when nothing smaller
helps: then the mistake lies somewhere in these lines."""


@dataclass(frozen=True, slots=True)
class ProposedEdit:
    """A program that differs from a student's in one place."""

    text: str
    """All of the new source."""
    line: int
    """The first line of the student's source that it changes."""
    end_line: int
    """The last one."""
    kind: EditKind
    function: str
    """The function around them, as ``Value.__mul__.backward``; empty outside functions."""
    old: str
    """The piece that changes; empty where something is only added."""
    new: str
    """What takes its place; empty where something is only taken out."""
    cost: int
    """The smaller, the likelier is this mistake."""


@dataclass(frozen=True, slots=True)
class Names:
    """What a function and its file speak of, and what repairs are made of."""

    known: tuple[str, ...] = ()
    """Local names, then the module's own ones without imports."""
    undefined: frozenset[str] = frozenset()
    """Names in the file that nothing defines."""
    attributes: tuple[str, ...] = ()
    """Attributes that hold data: those in the function, then others of the file, the most frequent ones first."""
    methods: tuple[str, ...] = ()
    """Attributes in the file that are called."""
    misspelled: frozenset[str] = frozenset()
    """Attributes in the file that are read, and never set or defined."""
    class_attributes: tuple[tuple[str, str], ...] = ()
    """Classes of the file, each with an attribute that all its objects share."""
    constants: tuple[Any, ...] = ()
    """Numbers and texts in the file."""
    expressions: tuple[ast.expr, ...] = ()
    """Short expressions in the function, the most frequent one first."""
    functions: frozenset[str] = frozenset()
    """Functions and methods of the file."""
    loop_variables: tuple[str, ...] = ()
    """What the function's loops assign."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The functions around a node, with their local variables and inner functions; for repairs, more of its place."""

    enclosing: tuple[str, ...] = ()
    """Names of the functions around the node, outermost first."""
    local_variables: tuple[str, ...] = ()
    """Parameters and local variables of these functions."""
    functions: tuple[str, ...] = ()
    """Names of functions defined in these functions."""
    parent: ast.AST | None = None
    field: str = ""
    """The parent's field in which the node stands."""
    names: Names = Names()


Change = Callable[[ast.AST, Scope], Iterator[ast.AST]]
"""Takes a node, and yields nodes to replace it. It does not change the node; a replacement shares child nodes with
its original."""


class Operator(NamedTuple):
    """One way to change a node."""

    change: Change
    kind: EditKind
    cost: int


ARITHMETIC: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add, ast.Div),
    ast.Div: (ast.Mult,),
    ast.Pow: (ast.Mult,),
}
"""The operators that each one may be confused with, the most important one first."""


def changed(node: Node, **fields: Any) -> Node:
    """Return a copy of a node in which these fields are replaced."""
    other = copy.copy(node)
    for field, value in fields.items():
        setattr(other, field, value)
    return other


def name_node(identifier: str) -> ast.Name:
    """Return a node that reads a variable."""
    return ast.Name(identifier, ast.Load())


def call_node(function: str, *arguments: ast.expr) -> ast.Call:
    """Return a node that calls a function by its name."""
    return ast.Call(name_node(function), [*arguments], [])


def leave_one_out(nodes: list[Any]) -> Iterator[list[Any]]:
    """Yield the list without each of its members in turn."""
    return ([*nodes[:index], *nodes[index + 1 :]] for index in range(len(nodes)))


def replace_each(nodes: list[Any], others: Callable[[Any], Iterator[Any]]) -> Iterator[list[Any]]:
    """Yield the list with each of its members replaced by each of its others in turn."""
    return ([*nodes[:i], other, *nodes[i + 1 :]] for i, node in enumerate(nodes) for other in others(node))
