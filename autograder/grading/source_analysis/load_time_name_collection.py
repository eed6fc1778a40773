"""List what a program makes while it is loaded."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from autograder.grading.source_analysis.ast_names import get_last_name, get_root_of_attribute_chain
from autograder.grading.source_analysis.escape_analysis import is_inside_function
from autograder.grading.source_analysis.load_time_names import LoadedNamespaceNames
from autograder.grading.source_analysis.name_scopes import NameScopes
from autograder.syntax_tree import SyntaxTree

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
MAKING = frozenset({"staticmethod", "property", "namedtuple", "NewType"})
"""Calls that make a function or a class."""
ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})


@dataclass
class _Assignment:
    """The names that one value is bound to.

    A value stands here once, however many names it has: else a long tuple with many names would be gone through for
    each of them.
    """

    value: ast.expr | None
    names: set[str] = field(default_factory=set)


def collect_load_time_names(trees: Sequence[SyntaxTree], own_modules: Collection[str]) -> LoadedNamespaceNames:
    """Return what the files or cells of one namespace make while they are loaded.

    Args:
        trees: the files or cells.
        own_modules: names of the program's other files.
    """
    names = LoadedNamespaceNames()
    assignments = dict[ast.expr | None, _Assignment]()
    defined = set[str]()
    for tree in trees:
        scopes = NameScopes(tree)
        libraries = _list_library_names(tree, own_modules)
        names.libraries |= libraries
        names.bound |= scopes.list_module_level_names() - libraries
        top = [
            node
            for node in tree.nodes
            if isinstance(node, (*DEFINITIONS, ast.Name)) and scopes.is_bound_at_module_level(node)
        ]
        definitions = [node for node in top if not isinstance(node, ast.Name)]
        defined |= {node.name for node in definitions}
        names.functions |= {node.name for node in definitions if not isinstance(node, ast.ClassDef)}
        for node in top:
            if isinstance(node, ast.Name):
                for value in _list_values(node, tree):
                    assignments.setdefault(value, _Assignment(value)).names.add(node.id)
    names.immutable = set[str]().union(*(assignment.names for assignment in assignments.values())) - defined
    _remove_names_of_objects(names, [*assignments.values()])
    names.changeable = set[str]().union(
        *(
            assignment.names
            for assignment in assignments.values()
            if not names.is_immutable(assignment.value) and not _is_alias(assignment.value, names)
        )
    )
    for tree in trees:
        _collect_attributes(tree, names)
    return names


def _remove_names_of_objects(names: LoadedNamespaceNames, assignments: Sequence[_Assignment]) -> None:
    """Take the names out of ``names.immutable`` that stand for objects, and those that are bound to such names."""
    assignments_by_name = dict[str, list[_Assignment]]()
    for assignment in assignments:
        for node in ast.walk(assignment.value) if assignment.value is not None else ():
            if isinstance(node, ast.Name):
                assignments_by_name.setdefault(node.id, []).append(assignment)
    waiting = [assignment for assignment in assignments if not names.is_immutable(assignment.value)]
    unvisited = dict(zip(map(id, assignments), assignments, strict=True))
    while waiting:
        assignment = waiting.pop()
        if unvisited.pop(id(assignment), None) is None:
            continue
        for name in assignment.names & names.immutable:
            names.immutable.remove(name)
            waiting += assignments_by_name.get(name, ())


def _list_library_names(tree: SyntaxTree, own_modules: Collection[str]) -> set[str]:
    return {
        (alias.asname or alias.name).partition(".")[0]
        for node in tree.nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        if (getattr(node, "module", None) or alias.name).partition(".")[0] not in own_modules
    }


def _list_values(name: ast.Name, tree: SyntaxTree) -> Iterator[ast.expr | None]:
    """Yield the value that a name is bound to; None if it is not known, nothing where it is not bound."""
    if isinstance(name.ctx, ast.Load):
        return
    match tree.parents[name]:
        case ast.AnnAssign(value=None):
            return
        case ast.Assign(value=value) | ast.AugAssign(value=value) | ast.AnnAssign(value=value):
            yield value
        case ast.NamedExpr(value=value):
            yield value
        case _:
            yield None


def _is_alias(value: ast.expr | None, names: LoadedNamespaceNames) -> bool:
    """Return whether a value is a function, a class, or a tuple of these."""
    match value:
        case ast.Lambda():
            return True
        case ast.Name() | ast.Attribute() | ast.Subscript():
            return True  # of something else that is judged by itself
        case ast.Tuple(elts=parts):
            return all(_is_alias(part, names) or names.is_immutable(part) for part in parts)
        case ast.IfExp(body=left, orelse=right) | ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return all(_is_alias(part, names) or names.is_immutable(part) for part in (left, right))
        case ast.Call(func=function):
            return get_last_name(function) in MAKING
    return False


def _collect_attributes(tree: SyntaxTree, names: LoadedNamespaceNames) -> None:
    """Add what classes have, and what functions and classes are given, as attributes."""
    methods = set[str]()
    for node in tree.nodes:
        if isinstance(node, ast.ClassDef):
            is_enum = any(get_last_name(base) in ENUMS for base in node.bases)
            for member in node.body:
                match member:
                    case ast.ClassDef(name=name):
                        names.object_attributes.add(name)
                    case ast.FunctionDef(name=name, decorator_list=decorators):
                        is_static = any(get_last_name(decorator) == "staticmethod" for decorator in decorators)
                        (names.static_methods if is_static else methods).add(name)
                    case ast.Assign(targets=targets, value=value):
                        is_immutable = names.is_immutable(value) and not is_enum
                        target_names = {target.id for target in targets if isinstance(target, ast.Name)} - {
                            "__slots__"
                        }
                        (names.immutable_attributes if is_immutable else names.object_attributes).update(target_names)
                    case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                        (names.immutable_attributes if names.is_immutable(value) else names.object_attributes).add(
                            name
                        )
    names.object_attributes |= names.static_methods
    is_immutable_value = cache(names.is_immutable)  # one value may have thousands of targets
    for node in tree.nodes:
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and _may_hold_object(node, tree, names, is_immutable_value)
        ):
            names.object_attributes.add(node.attr)
    names.immutable_attributes -= names.object_attributes | methods


def _may_hold_object(
    node: ast.Attribute, tree: SyntaxTree, names: LoadedNamespaceNames, is_immutable: Callable[[ast.expr], bool]
) -> bool:
    """Return whether an attribute that is set here may stand for a function or a class from then on."""
    root, above = get_root_of_attribute_chain(node), tree.parents[node]
    if is_inside_function(node, tree.parents):
        value = above.value if isinstance(above, ast.Assign | ast.AnnAssign) else None
        return value is not None and names.names_function_or_static_method(value)
    if isinstance(root, ast.Name) and root.id in names.changeable:
        return False
    return not (isinstance(above, ast.Assign) and is_immutable(above.value))
