"""Tell from a source which of a module's names and values may change, such as lists and what is made of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from autograder.grading.source_analysis.ast_names import get_last_name, get_root_of_attribute_chain

IMMUTABLE = frozenset(
    {
        *("int", "float", "str", "bool", "tuple", "frozenset", "complex", "TypeVar", "ParamSpec", "namedtuple"),
        *("property", "staticmethod", "classmethod"),
    }
)
"""Types with immutable instances, provided that the values they are made of are immutable."""
NO_VALUE = ast.Constant(None)
"""Stands for the value of a name that is annotated and gets none."""


class MutabilityAnalysis:
    """Tells which values cannot change, by the names that they are made of.

    Attributes:
        changeable_names: the module's names that stand for what may change.
    """

    def __init__(self, parents: Mapping[ast.AST, ast.AST], stored: Iterable[ast.AST]) -> None:
        """Find the names.

        Args:
            parents: what each node of the module stands in.
            stored: the nodes outside of functions to which something is bound.
        """
        self._parents = parents
        self._needed_names: dict[ast.AST, frozenset[str] | None] = {}
        self.changeable_names = self._find_changeable_names(stored)

    def _find_changeable_names(self, stored: Iterable[ast.AST]) -> set[str]:
        """Return the names of the module's that stand for what may change, and all that is made of these."""
        changeable: set[str] = set()
        names_bound_to: dict[ast.AST, set[str]] = {}
        for node in stored:
            if isinstance(node, ast.Name):
                value = self._find_bound_value(node)
                (changeable if value is None else names_bound_to.setdefault(value, set())).add(node.id)
        values_made_of: dict[str, list[ast.AST]] = {}
        for value, names in names_bound_to.items():
            needed = self._find_needed_names(value)
            if needed is None:
                changeable |= names
            for name in needed or ():
                values_made_of.setdefault(name, []).append(value)
        new = [*changeable]
        while new:
            for value in values_made_of.pop(new.pop(), ()):
                found = names_bound_to.pop(value, set()) - changeable
                changeable |= found
                new += found
        return changeable

    def is_bound_to_immutable(self, name: ast.AST) -> bool:
        """Return whether a name or attribute, where it is bound, stands for something that cannot change."""
        value = self._find_bound_value(name)
        return value is not None and self.is_immutable(value)

    def _find_bound_value(self, name: ast.AST) -> ast.AST | None:
        """Return the value that a name or attribute gets where it is bound; None if that is not clear.

        A name that is only annotated gets none, and cannot change: a constant stands for its value.
        """
        match self._parents[name]:
            case ast.Assign(value=value) | ast.AugAssign(value=value):
                return value
            case ast.AnnAssign(value=value):
                return value or NO_VALUE
        return None

    def is_immutable(self, value: ast.AST) -> bool:
        """Return whether a value cannot change."""
        needed = self._find_needed_names(value)
        return needed is not None and needed.isdisjoint(self.changeable_names)

    def _find_needed_names(self, value: ast.AST) -> frozenset[str] | None:
        """Return the names that must stand for what cannot change, so that a value cannot; None if it can anyhow."""
        if value not in self._needed_names:
            self._needed_names[value] = self._read_needed_names(value)
        return self._needed_names[value]

    def _read_needed_names(self, value: ast.AST) -> frozenset[str] | None:
        """Return what ``_find_needed_names`` does, on a stack in place of recursion."""
        names, left = set(), [value]
        while left:
            match left.pop():
                case ast.Constant() | ast.Lambda():
                    pass
                case (ast.Name() | ast.Attribute() | ast.Subscript()) as chain:
                    root = get_root_of_attribute_chain(chain)
                    if not isinstance(root, ast.Name):
                        return None
                    names.add(root.id)
                case ast.Tuple(elts=items):
                    left += items
                case ast.UnaryOp(operand=operand):
                    left.append(operand)
                case ast.BinOp(left=first, right=second):
                    left += (first, second)
                case ast.Call(func=function, keywords=keywords) if get_last_name(function) == "field":
                    left += (word.value for word in keywords if word.arg == "default")
                case ast.Call(func=function, args=arguments) if get_last_name(function) in IMMUTABLE:
                    left += arguments
                case _:
                    return None
        return frozenset(names)
