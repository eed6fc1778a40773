"""Decide whether a program reaches attributes in ways that its text does not show, or that lead to its state."""

from __future__ import annotations

import ast
from collections.abc import Container

from autograder.syntax_tree import SyntaxTree

FRAMES = frozenset(
    {
        *("tb_frame", "tb_next", "f_globals", "f_locals", "f_builtins", "f_back", "gi_frame", "gi_code", "cr_frame"),
        *("cr_code", "ag_frame", "ag_code"),
    }
)
"""Attributes that lead from an exception or a generator to the names of a function or a module."""
OF_THE_INTERPRETER = frozenset({"exit", "quit", "help", "copyright", "credits", "license"})
"""Built-in objects that can be given attributes."""
PROTOCOLS = frozenset({*dir(float), *dir(dict), *dir(list), *dir(set), *dir(str)}) - frozenset(
    {
        *("__dict__", "__reduce__", "__reduce_ex__", "__getstate__", "__subclasshook__", "__init_subclass__"),
        *("__setattr__", "__delattr__", "__getattribute__", "__dir__"),
    }
)
HARMLESS_DUNDERS = PROTOCOLS | frozenset(
    {
        *("__name__", "__qualname__", "__post_init__", "__enter__", "__exit__", "__next__", "__matmul__", "__all__"),
        *("__file__", "__version__", "__author__", "__slots__", "__debug__", "__call__", "__bool__", "__reversed__"),
    }
)
"""Names between underscores that reach no more than an object's own value."""
ON_SELF = frozenset({"__setattr__", "__delattr__", "__getattribute__"})
"""Methods that reach any attribute, of the object that they are called for."""


def uses_dynamic_attributes(node: ast.AST, syntax: SyntaxTree, forbidden: Container[str]) -> bool:
    """Return whether a node reaches frames, what is built in, or by ``getattr`` an attribute that is not known.

    Args:
        node: the node.
        syntax: the tree in which it stands.
        forbidden: attributes that must not be reached.
    """
    match node:
        case ast.Attribute(attr=name):
            return name in FRAMES
        case ast.Name(id="getattr"):
            match syntax.parents[node]:
                case ast.Call(func=function, args=[_, ast.Constant(value=str(name)), *_]) if function is node:
                    return name in forbidden or name in FRAMES or _is_unusual_dunder(name)
            return True
        case ast.Name(id=name, ctx=ast.Load()) if name in OF_THE_INTERPRETER:
            above = syntax.parents[node]
            return isinstance(above, ast.Attribute | ast.Assign | ast.NamedExpr) or not (
                isinstance(above, ast.Call) and above.func is node
            )
    return False


def reaches_state_by_dunder(node: ast.AST, syntax: SyntaxTree) -> bool:
    """Return whether a node reads an attribute or a name such as ``__annotations__`` that may lead to state."""
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr="__dict__"):
            return False
        case ast.Attribute(value=of, attr=name) if name in ON_SELF:
            call = syntax.parents[node]
            is_super = isinstance(of, ast.Call) and isinstance(of.func, ast.Name) and of.func.id == "super"
            match call:
                case ast.Call(func=function, args=arguments) if function is node:
                    return not is_super and not (
                        arguments and isinstance(arguments[0], ast.Name) and arguments[0].id == "self"
                    )
            return True
        case ast.Attribute(attr=name, ctx=ast.Load()) if name != "__class__":
            return _is_unusual_dunder(name)
        case ast.Name(id=name, ctx=ast.Load()):
            return _is_unusual_dunder(name)
    return False


def makes_classes_reachable(node: ast.AST, syntax: SyntaxTree) -> bool:
    """Return whether a node is ``type`` or ``classmethod`` where it is not seen whose class a function gets."""
    match node:
        case ast.Name(id="classmethod", ctx=ast.Load()):
            return not isinstance(syntax.parents[node], ast.FunctionDef)  # no decorator
        case ast.Name(id="type", ctx=ast.Load()):
            match syntax.parents[node]:
                case ast.Call(func=function, args=arguments):
                    is_asked_for = isinstance(function, ast.Name) and function.id == "isinstance"
                    return not is_asked_for and (function is not node or len(arguments) != 1)
                case ast.Compare() | ast.Subscript() | ast.arg():
                    return False
            return True
    return False


def _is_unusual_dunder(name: str) -> bool:
    """Return whether a name stands between underscores and is not known to be harmless."""
    return name.startswith("__") and name.endswith("__") and name not in HARMLESS_DUNDERS - {"__class__"}
