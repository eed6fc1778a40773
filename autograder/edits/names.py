"""Collect what a program speaks of: the names, attributes, constants and short expressions that repairs use."""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Iterable
from itertools import chain

from autograder.edits.model import Names
from autograder.edits.splicing import FunctionPlace

SHORT = 30
"""Characters of an expression that is put in the place of others."""
MOST_EXPRESSIONS = 12
REPEATABLE = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.BinOp)


class NameCollector:
    """Collects what repairs are made of, for each function once."""

    def __init__(self, tree: ast.Module, functions: list[FunctionPlace]) -> None:
        nodes = list(ast.walk(tree))
        attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
        called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
        methods = Counter(node.attr for node in attributes if id(node) in called)
        self._functions = frozenset(place.node.name for place in functions)
        defined = {place.node.name for place in functions if place.in_class}
        data = Counter(node.attr for node in attributes if id(node) not in called)
        imported = {
            (alias.asname or alias.name).split(".")[0]
            for node in nodes
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        data_of_modules = {
            node.attr for node in attributes if isinstance(node.value, ast.Name) and node.value.id in imported
        }
        stored = {node.attr for node in attributes if not isinstance(node.ctx, ast.Load)}
        self._methods = tuple(dict.fromkeys([*sorted(defined), *(name for name, _ in methods.most_common())]))
        self._attributes = tuple(name for name, _ in data.most_common() if name not in data_of_modules)
        self._misspelled = frozenset({*data, *methods}) - stored - defined - data_of_modules
        bound = bound_names(nodes)
        self._module = tuple(
            dict.fromkeys(
                name
                for node in tree.body
                if not isinstance(node, ast.Import | ast.ImportFrom)
                for name in bound_names(
                    ast.walk(node) if not isinstance(node, ast.ClassDef | ast.FunctionDef) else [node]
                )
            )
        )
        read = {node.id for node in nodes if isinstance(node, ast.Name)}
        self.undefined = frozenset(read - set(bound) - set(dir(builtins)) - {"__file__", "__name__", "__class__"})
        values = [node.value for node in nodes if isinstance(node, ast.Constant)]
        numbers_and_texts = [
            value for value in values if type(value) in (int, float, str) and len(str(value)) < SHORT
        ]
        self._constants = tuple({(type(value), value): value for value in numbers_and_texts}.values())[:SHORT]
        self._class_attributes = tuple(
            (class_.name, name)
            for class_ in tree.body
            if isinstance(class_, ast.ClassDef)
            for statement in class_.body
            if isinstance(statement, ast.Assign | ast.AnnAssign)
            for name in bound_names(ast.walk(statement))
        )
        self._tree = tree
        self._owner: dict[int, FunctionPlace] = {}
        for place in functions:
            self._owner |= dict.fromkeys((id(node) for node in ast.walk(place.node)), place)
        self._known: dict[str, Names] = {}

    def of_module(self) -> Names:
        """Return what stands outside functions."""
        return self._collect("", None)

    def at(self, node: ast.AST, parent: ast.AST) -> Names:
        """Return what stands in the function around a node."""
        place = self.function_around(node, parent)
        return self._collect(place.path, place) if place else self.of_module()

    def function_around(self, node: ast.AST, parent: ast.AST) -> FunctionPlace | None:
        """Return the innermost function around a node; None outside functions."""
        return self._owner.get(id(node)) or self._owner.get(id(parent))

    def _collect(self, path: str, place: FunctionPlace | None) -> Names:
        if path in self._known:
            return self._known[path]
        root: ast.AST = (
            place.outermost if place else ast.Module([one for one in self._tree.body if not hasattr(one, "body")], [])
        )
        nodes = list(ast.walk(root))
        local = [name for name in bound_names(nodes) if not place or name != place.outermost.name]
        counts: Counter[str] = Counter()
        called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
        for node in nodes:
            if not isinstance(node, REPEATABLE) or id(node) in called or node.lineno != node.end_lineno:
                continue
            if (node.end_col_offset or 0) - node.col_offset <= SHORT:
                counts[ast.unparse(node)] += 1
        near = Counter(node.attr for node in nodes if isinstance(node, ast.Attribute) and id(node) not in called)
        attributes = dict.fromkeys(
            (*(name for name, _ in near.most_common() if name in self._attributes), *self._attributes)
        )
        pairs = [f"{name}.{attribute}" for name in local[:6] for attribute in self._attributes[:2]]
        texts = dict.fromkeys([*(text for text, _ in counts.most_common(MOST_EXPRESSIONS)), *pairs])
        expressions = tuple(ast.parse(text, mode="eval").body for text in texts)
        loops = [node.target for node in nodes if isinstance(node, ast.For | ast.comprehension)]
        names = Names(
            known=tuple(dict.fromkeys((*local, *self._module)))[:SHORT],
            undefined=self.undefined,
            attributes=tuple(attributes)[:MOST_EXPRESSIONS],
            methods=self._methods[:SHORT],
            misspelled=self._misspelled,
            class_attributes=self._class_attributes,
            constants=self._constants,
            expressions=expressions,
            functions=self._functions,
            loop_variables=tuple(bound_names(chain.from_iterable(map(ast.walk, loops)))),
        )
        self._known[path] = names
        return names


def bound_names(nodes: Iterable[ast.AST]) -> list[str]:
    """Return the names that nodes define, in their order."""
    found: dict[str, None] = {}
    for node in nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                found[name] = None
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found[name] = None
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                found[name] = None
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                found |= dict.fromkeys((alias.asname or alias.name).split(".")[0] for alias in aliases)
    return list(found)
