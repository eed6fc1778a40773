"""Decide whether what a program makes while it is loaded stays as it is: its functions, its classes, its values.

What a test put on them, the next test would find. So a function may call them, compare them and look at them, but not
hand them on: under another name, a change of theirs would look like one of the function's own objects.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from autograder.grading.source_analysis.ast_names import get_last_name, get_root_of_attribute_chain
from autograder.grading.source_analysis.escape_analysis import does_not_escape, is_inside_function
from autograder.grading.source_analysis.harmless_library_use import uses_libraries_harmlessly
from autograder.grading.source_analysis.load_time_name_collection import collect_load_time_names
from autograder.grading.source_analysis.load_time_names import LoadedNamespaceNames
from autograder.grading.source_analysis.name_scopes import NameScopes
from autograder.grading.source_analysis.reflection import (
    OF_THE_INTERPRETER,
    makes_classes_reachable,
    reaches_state_by_dunder,
    uses_dynamic_attributes,
)
from autograder.syntax_tree import SyntaxTree

NAMING = frozenset({"__name__", "__qualname__", "__doc__", "__module__"})
CLASS_METHODS = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})


def are_load_time_objects_unchanged(
    units: Sequence[SyntaxTree], modules: Sequence[SyntaxTree], own: Collection[str], defines: Collection[str]
) -> bool:
    """Return whether no function changes what was made while a program was loaded, or hands it on; False in doubt.

    Args:
        units: the files or cells that share one namespace.
        modules: the program's other files.
        own: the names of these.
        defines: names that tests ask for.
    """
    namespaces = [units, *((module,) for module in modules)]
    names_by_namespace = [collect_load_time_names(trees, own) for trees in namespaces]
    if not names_by_namespace[0].changeable.isdisjoint(defines):
        return False
    changeable = set[str]().union(*(names.changeable for names in names_by_namespace)) if own else set[str]()
    return all(
        uses_libraries_harmlessly(trees, own, is_loaded_again=False)
        and not any(_imports_any(tree, own, changeable) for tree in trees)
        and all(_Functions(tree, names).leave_objects_alone() for tree in trees)
        for trees, names in zip(namespaces, names_by_namespace, strict=True)
    )


def _imports_any(tree: SyntaxTree, own: Collection[str], changeable: set[str]) -> bool:
    """Return whether one file of a program takes from another what may change."""
    for node in tree.nodes:
        match node:
            case ast.ImportFrom(module=module, names=names):
                if module in own and any(alias.name == "*" or alias.name in changeable for alias in names):
                    return True
            case ast.Attribute(value=ast.Name(), attr=name) if name in changeable:
                return True
    return False


class _Functions:
    """The functions of one file or cell, and what they do with what is there before they are called."""

    def __init__(self, tree: SyntaxTree, names: LoadedNamespaceNames) -> None:
        self._tree, self._names = tree, names
        self._scopes = NameScopes(tree)
        self._given_classes = {
            (node, node.args.args[place].arg)
            for node in tree.nodes
            if isinstance(node, ast.FunctionDef)
            for place in _list_places_of_classes(node)
        }

    def leave_objects_alone(self) -> bool:
        """Return whether nothing here changes an object that was made while loading, or hands it on."""
        return not any(
            uses_dynamic_attributes(node, self._tree, self._names.object_attributes)
            or reaches_state_by_dunder(node, self._tree)
            or makes_classes_reachable(node, self._tree)
            or (is_inside_function(node, self._tree.parents) and self._may_change(node))
            for node in self._tree.nodes
            if isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
        )

    def _may_change(self, node: ast.AST) -> bool:
        """Return whether a node in a function may change an object of the program's, or hands it on."""
        match node:
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
                root = get_root_of_attribute_chain(node)
                return isinstance(root, ast.Name) and (self._is_known_outer(root) or self._is_given_class(root))
            case ast.Name(ctx=ast.Load()) if self._is_given_class(node):
                return not self._is_harmless(node)
            case ast.Name(id=name, ctx=ast.Load()) if self._is_outer(node):
                if name in self._names.changeable:
                    return True
                is_object = name in self._names.bound and name not in self._names.immutable
                return is_object and not self._is_harmless(node)
            case ast.Attribute(attr=name, ctx=ast.Load()):
                is_object = name == "__class__" or name in self._names.object_attributes
                return is_object and not self._is_harmless(node)
            case ast.Call(func=ast.Name(id="type")):
                return not self._is_harmless(node)
        return False

    def _is_outer(self, name: ast.Name) -> bool:
        return self._scopes.find_scope(name) is self._tree.tree

    def _is_known_outer(self, name: ast.Name) -> bool:
        """Return whether a name stands for something outside of functions; a misspelt one stands for nothing."""
        known = name.id in self._names.bound or name.id in self._names.libraries or name.id in OF_THE_INTERPRETER
        return known and self._is_outer(name)

    def _is_given_class(self, name: ast.Name) -> bool:
        return (self._scopes.find_scope(name), name.id) in self._given_classes

    def _is_harmless(self, node: ast.expr) -> bool:
        """Return whether an object is only called or looked at, and so is what is read of it."""
        above = self._tree.parents[node]
        while isinstance(above, ast.Attribute) and above.attr in self._names.object_attributes:
            node, above = above, self._tree.parents[above]
        if isinstance(above, ast.Attribute):
            is_immutable = above.attr in NAMING or above.attr in self._names.immutable_attributes
            return isinstance(above.ctx, ast.Load) and (is_immutable or does_not_escape(above, self._tree))
        if isinstance(above, ast.Assign | ast.AnnAssign) and self._names.names_function_or_static_method(node):
            targets = above.targets if isinstance(above, ast.Assign) else [above.target]
            return all(isinstance(target, ast.Attribute) for target in targets)  # see ``object_attributes``
        return does_not_escape(node, self._tree)


def _list_places_of_classes(function: ast.FunctionDef) -> list[int]:
    """Return the places of the parameters that stand for a class."""
    decorated = any(get_last_name(decorator) == "classmethod" for decorator in function.decorator_list)
    places = [0] if decorated or function.name in CLASS_METHODS else [1] if function.name == "__exit__" else []
    return [place for place in places if place < len(function.args.args)]
