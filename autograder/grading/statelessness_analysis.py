"""Tell from its text whether a submission can remember anything from one test to the next; in doubt, it can.

An engine keeps its state in its nodes, and nodes are gone with the test that made them. State that outlives a test is
in a module, in a class, in a default value, in a closure that was made while the submission was loaded, or in a
library. Loading itself is the same at every start, so what stands outside of functions does no harm alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache

from autograder.bridge import SubmissionProgram
from autograder.syntax_tree import FEW, SyntaxTree, try_parse_syntax_tree

PURE_MODULES = frozenset(
    {
        *("math", "cmath", "typing", "__future__", "dataclasses", "abc", "collections", "itertools", "operator"),
        *("numbers", "enum", "heapq", "bisect", "copy", "functools", "random", "contextlib", "typing_extensions"),
        *("re", "string", "statistics", "fractions", "array", "queue", "pprint", "textwrap", "sys", "graphlib"),
        *("numpy", "torch", "graphviz", "matplotlib"),  # most often not installed, and then they only raise
    }
)
REMEMBER = frozenset({"lru_cache", "cache", "singledispatch", "singledispatchmethod", "getcontext", "setcontext"})
REACH_ANYTHING = frozenset(
    {
        *("globals", "vars", "setattr", "delattr", "exec", "eval", "compile", "__import__", "open", "input"),
        *("__dict__", "__globals__", "__defaults__", "__kwdefaults__", "__closure__", "__code__", "__func__"),
        *("__self__", "__subclasses__", "__builtins__", "__bases__", "__mro__", "mro", "__del__", "__wrapped__"),
    }
)
DECORATORS = frozenset(
    {
        *("property", "staticmethod", "classmethod", "setter", "getter", "deleter", "dataclass", "total_ordering"),
        *("abstractmethod", "override", "overload", "final", "wraps", "cached_property", "contextmanager", "unique"),
    }
)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
IMMUTABLE = frozenset(
    {"int", "float", "str", "bool", "tuple", "frozenset", "complex", "TypeVar", "ParamSpec", "namedtuple"}
)
COPY = frozenset({"set", "tuple", "list", "frozenset", "dict", "len", "enumerate", "bool", "sorted", "reversed"})
"""Functions that leave what they are given as it is, and keep nothing of it but its items."""
CLASS_OF = frozenset({"__class__", "cls", "type"})


def is_stateless(program: SubmissionProgram) -> bool:
    """Tell whether every test finds a submission as it was loaded, as far as its text shows.

    Args:
        program: the submission's code.

    Returns:
        True if every test does. False, too, for code that cannot be parsed.
    """
    return _are_stateless(
        (*(source for _, source in program.units), *program.modules.values()), frozenset(program.modules)
    )


@lru_cache(FEW)
def _are_stateless(sources: Sequence[str], modules: frozenset[str]) -> bool:
    trees = map(try_parse_syntax_tree, sources)
    return all(tree is not None and _StateFinder(tree, modules).keeps_no_state() for tree in trees)


class _StateFinder:
    """Reads one file or cell."""

    def __init__(self, syntax: SyntaxTree, own: frozenset[str]) -> None:
        self._modules = PURE_MODULES | own
        self._nodes, self._parents, self._within = syntax.nodes, syntax.parents, syntax.list_node_and_descendants
        outside = [*_outside_of_functions(syntax.tree)]
        self._bound = {name for node in outside for name in _names_bound(node)}
        self._shared = {name for node in outside if not isinstance(node, ast.Name) for name in _names_bound(node)}
        self._changeable: set[str] = set()
        self._stored = [node for node in outside if isinstance(getattr(node, "ctx", None), ast.Store)]
        names = [node for node in self._stored if isinstance(node, ast.Name)]
        while found := {one.id for one in names if not self._is_bound_to_immutable(one)} - self._changeable:
            self._changeable |= found  # and what else has one of these names

    def keeps_no_state(self) -> bool:
        """Return whether nothing here can keep state from one test to the next."""
        functions = [node for node in self._nodes if isinstance(node, FUNCTIONS)]
        everywhere = any(map(self._may_reach_outer_state, self._nodes)) or any(
            map(self._stores_in_shared_object, self._stored)
        )
        return not everywhere and not any(map(self._may_store_between_tests, functions))

    def _stores_in_shared_object(self, node: ast.AST) -> bool:
        """Return whether something changeable is put into a class, a function or a library, outside of functions."""
        if not isinstance(node, ast.Attribute | ast.Subscript) or self._is_bound_to_immutable(node):
            return False
        root = _root(node)
        return not isinstance(root, ast.Name) or root.id not in self._changeable

    def _may_reach_outer_state(self, node: ast.AST) -> bool:
        """Return whether a node, wherever it stands, may give state a place to stay."""
        match node:
            case ast.Import(names=names):
                return not all(one.name.partition(".")[0] in self._modules for one in names)
            case ast.ImportFrom(module=module, level=level):
                return level > 0 or (module or "").partition(".")[0] not in self._modules
            case ast.Global() | ast.Nonlocal():
                return True
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return name in REMEMBER or name in REACH_ANYTHING
            case ast.FunctionDef(decorator_list=decorators) | ast.AsyncFunctionDef(decorator_list=decorators):
                return not all(_last_name(one) in DECORATORS for one in decorators)
            case ast.ClassDef(decorator_list=decorators, keywords=keywords):
                known = all(_last_name(one) in DECORATORS for one in decorators)
                return not known or bool(keywords) or self._has_mutable_class_attribute(node)
        return False

    def _has_mutable_class_attribute(self, node: ast.ClassDef) -> bool:
        """Return whether a class has something that all its objects share and may change."""
        names = [one for one in _outside_of_functions(node) if isinstance(one, ast.Name)]
        stored = [one for one in names if isinstance(one.ctx, ast.Store) and one.id != "__slots__"]
        return not all(map(self._is_bound_to_immutable, stored))

    def _is_bound_to_immutable(self, name: ast.AST) -> bool:
        """Return whether a name or attribute, where it is bound, stands for something that cannot change."""
        match self._parents[name]:
            case ast.Assign(value=value) | ast.AugAssign(value=value):
                return self._is_immutable(value)
            case ast.AnnAssign(value=value):
                return value is None or self._is_immutable(value)
        return False

    def _is_immutable(self, value: ast.AST) -> bool:
        """Return whether a value cannot change."""
        match value:
            case ast.Constant() | ast.Lambda():
                return True
            case ast.Name() | ast.Attribute() | ast.Subscript():
                root = _root(value)
                return isinstance(root, ast.Name) and root.id not in self._changeable
            case ast.Tuple(elts=items):
                return all(map(self._is_immutable, items))
            case ast.UnaryOp(operand=operand):
                return self._is_immutable(operand)
            case ast.BinOp(left=left, right=right):
                return self._is_immutable(left) and self._is_immutable(right)
            case ast.Call(func=function, keywords=keywords) if _last_name(function) == "field":
                return all(word.arg != "default" or self._is_immutable(word.value) for word in keywords)
            case ast.Call(func=function, args=arguments):
                return _last_name(function) in IMMUTABLE and all(map(self._is_immutable, arguments))
        return False

    def _may_store_between_tests(self, function: Function) -> bool:
        """Return whether a function may put something where the next test finds it."""
        local = self._bound_within(function)
        arguments = [node for node in self._within(function) if isinstance(node, ast.arguments)]
        local |= {one.arg for node in arguments for one in _all_arguments(node)}
        outer = self._outer_locals(function)
        if not all(map(self._are_defaults_immutable, arguments)):
            return True
        for node in self._within(function):
            if isinstance(node, ast.Name) and node.id in self._changeable - local - outer:
                return True
            if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
                root = _root(node)
                if not isinstance(root, ast.Name) or root.id in CLASS_OF:
                    return True
                if root.id in self._bound and root.id not in local | outer:
                    return True
            if (
                isinstance(node, ast.Assign | ast.NamedExpr)
                and isinstance(node.value, ast.Name)
                and node.value.id in self._shared - local - outer
            ):
                return True  # changed under that name, it would look like a function's own
            if _is_class_of(node) and not self._is_harmless_use_of_class(node):
                return True
            if _names_interpreter_setting(node):
                return True  # one that one test sets holds for the next
        return False

    def _outer_locals(self, function: Function) -> set[str]:
        """Return the names that are bound in the functions around one."""
        found: set[str] = set()
        around = self._parents.get(function)
        while around is not None:
            if isinstance(around, FUNCTIONS):
                found |= self._bound_within(around)
                found |= {one.arg for one in _all_arguments(around.args)}
            around = self._parents.get(around)
        return found

    def _bound_within(self, function: ast.AST) -> set[str]:
        """Return the names that a function binds within it; its own name is bound around it."""
        return {name for node in self._within(function)[1:] for name in _names_bound(node)}

    def _are_defaults_immutable(self, arguments: ast.arguments) -> bool:
        """Return whether default values cannot change; a list may be one if the function only copies it."""
        positional = [*arguments.posonlyargs, *arguments.args]
        pairs: list[tuple[ast.arg, ast.expr | None]] = [
            *zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True),
            *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
        ]
        function = self._parents[arguments]
        return all(
            value is None or self._is_immutable(value) or self._is_only_copied(parameter.arg, function)
            for parameter, value in pairs
        )

    def _is_only_copied(self, name: str, function: ast.AST) -> bool:
        uses = [node for node in self._within(function) if isinstance(node, ast.Name) and node.id == name]
        return all(isinstance(use.ctx, ast.Load) and self._is_copied(use) for use in uses)

    def _is_copied(self, use: ast.AST) -> bool:
        match self._parents[use]:
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return name in COPY and use in arguments
            case ast.For(iter=iterated) | ast.comprehension(iter=iterated):
                return iterated is use
            case ast.If() | ast.IfExp() | ast.BoolOp() | ast.UnaryOp() | ast.Starred():
                return not isinstance(self._parents[use], ast.IfExp | ast.BoolOp)
        return False

    def _is_harmless_use_of_class(self, node: ast.AST) -> bool:
        """Return whether the class of an object is only called, compared or named."""
        match self._parents[node]:
            case ast.Call(func=function):
                return function is node or _last_name(function) in ("isinstance", "issubclass", "print", "repr")
            case ast.Compare() | ast.Attribute(attr="__name__" | "__qualname__") | ast.Return():
                return True
        return False


def _outside_of_functions(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a module or class and of its blocks, without those inside nested functions and classes."""
    for node in ast.iter_child_nodes(tree):
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            yield from _outside_of_functions(node)


def _names_bound(node: ast.AST) -> set[str]:
    """Return the names that a node itself binds."""
    match node:
        case ast.Assign(targets=targets):
            names = [one for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]
            return {one.id for one in names if isinstance(one.ctx, ast.Store)}
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return {name}
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.ClassDef(name=name) | ast.ExceptHandler(name=str(name)):
            return {name}
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return {name}
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return {(one.asname or one.name).partition(".")[0] for one in names}
    return set()


def _all_arguments(arguments: ast.arguments) -> Iterator[ast.arg]:
    yield from (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    yield from (one for one in (arguments.vararg, arguments.kwarg) if one is not None)


def _root(node: ast.AST) -> ast.AST:
    """Return what ``a`` is in ``a.b[c].d``; a constant where the chain goes through the class of an object."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute) and node.attr in CLASS_OF:
            return ast.Constant(None)
        node = node.value
    return node


def _last_name(node: ast.AST) -> str:
    """Return the last name: ``setter`` in ``x.setter``, ``dataclass`` in ``@dataclass(eq=False)``."""
    if isinstance(node, ast.Call):
        return _last_name(node.func)
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _names_interpreter_setting(node: ast.AST) -> bool:
    """Return whether a node names something of the interpreter's own, such as its recursion limit."""
    match node:
        case ast.Name(id="setrecursionlimit") | ast.Attribute(attr="setrecursionlimit"):
            return True
        case ast.Attribute(value=ast.Name(id="sys")):
            return True
    return False


def _is_class_of(node: ast.AST) -> bool:
    """Return whether a node gives the class of an object."""
    match node:
        case ast.Attribute(attr="__class__"):
            return True
        case ast.Call(func=ast.Name(id="type")):
            return True
    return False
