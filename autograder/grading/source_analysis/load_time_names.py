"""Say what a loaded program holds, by name: immutable values, functions and classes, and what may change."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograder.grading.source_analysis.ast_names import get_last_name, get_root_of_attribute_chain

IMMUTABLE_CALLS = frozenset({"int", "float", "str", "bool", "complex", "frozenset", "field", "TypeVar", "ParamSpec"})
"""Calls that make a value which cannot change, of such values."""
FROM_LIBRARIES = frozenset({"func", "default_factory", "keywords"})
"""Attributes by which a library gives back a function or a class that it was given."""


@dataclass
class LoadedNamespaceNames:
    """The names of one namespace once it is loaded.

    Attributes:
        bound: all names of the namespace but those of libraries.
        libraries: names of libraries, and of what is imported from them.
        immutable: those of values that cannot change: numbers, texts, tuples of these.
        changeable: those of values that may change. Others are functions, classes and names of these.
        functions: those of functions.
        static_methods: names of static methods.
        immutable_attributes: attributes of classes that cannot change.
        object_attributes: attributes that stand for functions and classes, and not for methods of an object.
    """

    bound: set[str] = field(default_factory=set)
    libraries: set[str] = field(default_factory=set)
    immutable: set[str] = field(default_factory=set)
    changeable: set[str] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)
    static_methods: set[str] = field(default_factory=set)
    immutable_attributes: set[str] = field(default_factory=set)
    object_attributes: set[str] = field(default_factory=lambda: {*FROM_LIBRARIES})

    def names_function_or_static_method(self, node: ast.expr) -> bool:
        """Return whether an expression names a function, by its own name or as a static method."""
        match node:
            case ast.Name(id=name):
                return name in self.functions
            case ast.Attribute(attr=name):
                return name in self.static_methods
        return False

    def is_immutable(self, value: ast.expr | None) -> bool:
        """Return whether a value, of code outside of functions, cannot change and has no attributes of its own."""
        match value:
            case ast.Constant() | ast.JoinedStr() | ast.Compare():
                return True
            case ast.Name(id=name):
                return name in self.immutable or name not in self.bound
            case ast.Attribute() | ast.Subscript():
                root = get_root_of_attribute_chain(value)
                return isinstance(root, ast.Name) and root.id not in self.bound
            case ast.Tuple(elts=parts) | ast.BoolOp(values=parts):
                return all(map(self.is_immutable, parts))
            case ast.UnaryOp(operand=operand):
                return self.is_immutable(operand)
            case ast.BinOp(left=left, right=right) | ast.IfExp(body=left, orelse=right):
                return self.is_immutable(left) and self.is_immutable(right)
            case ast.Call(func=function, args=arguments) if get_last_name(function) in IMMUTABLE_CALLS:
                return all(map(self.is_immutable, arguments))
        return False
