"""Read right programs as donors: their functions with a student's names, and with all that they need."""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from autograder.cached_syntax_trees import MOST_DEPTH, parse_bounded_source
from autograder.edits.blocks import Function, code_start, list_functions
from autograder.edits.model import changed
from autograder.edits.names import bound_names
from autograder.syntax_tree import SyntaxTree

MOST_HELPERS = 6
"""How many functions, methods and imports one donated function may bring along."""
MOST_REMEMBERED = 2_000
"""How many functions are remembered with what was found out about their names."""
SAME_STATEMENT, SAME_USE, LEAST_LIKENESS = 5, 1, 3
"""How much two names are alike for a statement in which both stand, and for a use that both have."""
KNOWN = frozenset(dir(builtins)) | {"__file__", "__name__", "__class__"}


@dataclass(frozen=True, slots=True)
class DonorFunction:
    """A function of a right program, without docstrings, type hints and comments."""

    node: Function
    in_class: str
    """The name of its class; empty outside classes."""
    donor: DonorProgram
    count: int
    """How many right programs have it like this."""


class DonorProgram:
    """What stands in a right program outside of its functions' bodies."""

    def __init__(self, tree: ast.Module) -> None:
        """Find what each name of the file is bound by, and the methods of its classes."""
        self.bindings = {name: statement for statement in tree.body for name in bound_names(_own_nodes(statement))}
        self.methods = {
            (class_.name, method.name): method
            for class_ in tree.body
            if isinstance(class_, ast.ClassDef)
            for method in class_.body
            if isinstance(method, ast.FunctionDef)
        }


@lru_cache(8)
def read_donors(texts: tuple[str, ...]) -> Mapping[str, Sequence[DonorFunction]]:
    """Return the functions of right programs by their paths, such as ``Value.tanh``, the most usual ones first."""
    found: dict[str, dict[str, list[DonorFunction]]] = {}
    for text in texts:
        tree = parse_bounded_source(text)
        if not isinstance(tree, SyntaxTree) or tree.depth > MOST_DEPTH:
            continue
        stripped = ast.parse(ast.unparse(_WordsRemover().visit(ast.parse(text))))
        donor = DonorProgram(stripped)
        for place in list_functions(stripped):
            if place.node is place.outermost:
                one = DonorFunction(place.node, place.in_class.name if place.in_class else "", donor, 1)
                found.setdefault(place.path, {}).setdefault(ast.unparse(place.node), []).append(one)
    return {
        path: [
            DonorFunction(same[0].node, same[0].in_class, same[0].donor, len(same))
            for same in sorted(by_text.values(), key=len, reverse=True)
        ]
        for path, by_text in found.items()
    }


@lru_cache(MOST_REMEMBERED)
def rename_like(mine: Function, given: Function) -> Function:
    """Return a copy of a donor's function in which names are those of the student's that are used like them.

    The copy is not to be changed: it is kept.
    """
    own, other = _describe_names(mine), _describe_names(given)
    names = dict(zip(list_parameters(given), list_parameters(mine), strict=False))
    alike = sorted(
        ((_likeness(other[name], own[candidate]), name, candidate) for name in other for candidate in own),
        key=lambda one: (-one[0], one[1], one[2]),
    )
    for likeness, name, candidate in alike:
        if likeness >= LEAST_LIKENESS and name not in names and candidate not in names.values():
            names[name] = candidate
    names.setdefault(given.name, mine.name)
    renamed: Function = _Renamer(names).visit(ast.parse(ast.unparse(given)).body[0])
    return renamed


def list_parameters(function: Function) -> list[str]:
    """Return the names of the parameters that have places."""
    return [one.arg for one in (*function.args.posonlyargs, *function.args.args)]


@lru_cache(MOST_REMEMBERED)
def _describe_names(function: Function) -> dict[str, Counter[str]]:
    """Return how often each local name of a function is used in which way; parameters are known by their places."""
    parameters = {name: f"p{place}" for place, name in enumerate(list_parameters(function))}
    local = [name for name in bound_names(ast.walk(function)) if name not in parameters and name != function.name]
    blank = _Renamer(dict.fromkeys(local, "_") | parameters)
    found: dict[str, Counter[str]] = {name: Counter() for name in local}
    for statement in ast.walk(function):
        if not isinstance(statement, ast.stmt) or statement is function:
            continue
        head = head_of(statement)
        names = [name for node in ast.walk(head) for name in _names_of(node)]
        shape = ast.unparse(blank.visit(ast.parse(ast.unparse(head))))
        for place, name in enumerate(names):
            if name in found:
                found[name][f"{place} of {shape}"] += SAME_STATEMENT
        for node in ast.walk(head):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in found:
                found[node.value.id][node.attr] += SAME_USE
            elif isinstance(node, ast.Name) and node.id in found:
                found[node.id][f"{type(statement).__name__} {type(node.ctx).__name__}"] += SAME_USE
    return found


def _likeness(one: Counter[str], other: Counter[str]) -> int:
    return (one & other).total()


def head_of(statement: ast.stmt) -> ast.stmt:
    """Return a statement without the statements in it."""
    blocks = {name: [ast.Pass()] if name == "body" else [] for name in ("body", "orelse", "finalbody")}
    return changed(statement, **{name: block for name, block in blocks.items() if getattr(statement, name, None)})


def list_unknown_names(nodes: Iterable[ast.AST], known: frozenset[str]) -> list[str]:
    """Return the names that are read in nodes, and bound neither there nor elsewhere."""
    nodes = list(nodes)
    bound = known.union(bound_names(nodes), KNOWN)
    read = [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    return [name for name in dict.fromkeys(read) if name not in bound]


def bring_helpers(
    function: Function, given: DonorFunction, known: frozenset[str], attributes: frozenset[str]
) -> list[Function] | None:
    """Return a donor's function with what it needs of its file, then the methods that it needs; None if that is much.

    Args:
        function: the donor's function, with the student's names.
        given: where it comes from.
        known: names that the student's file defines.
        attributes: attributes and methods that the student's file speaks of.
    """
    needed: list[ast.stmt] = []
    methods: list[Function] = []
    waiting: list[ast.stmt] = [function]
    names, known_attributes = {*known, function.name}, {*attributes}
    while waiting:
        nodes = list(ast.walk(waiting.pop()))
        for name in list_unknown_names(nodes, frozenset(names)):
            names.add(name)
            if statement := given.donor.bindings.get(name):
                needed.insert(0, statement)
                waiting.append(statement)
        for attribute in dict.fromkeys(node.attr for node in nodes if isinstance(node, ast.Attribute)):
            method = given.donor.methods.get((given.in_class, attribute))
            if method is not None and attribute not in known_attributes:
                known_attributes.add(attribute)
                methods.append(method)
                waiting.append(method)
        if len(needed) + len(methods) > MOST_HELPERS:
            return None
    return [changed(function, body=[*needed, *function.body]), *methods]


def _own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield a statement's nodes; of a definition only itself."""
    return iter([statement]) if hasattr(statement, "body") else ast.walk(statement)


def _names_of(node: ast.AST) -> list[str]:
    match node:
        case ast.Name(id=name) | ast.arg(arg=name) | ast.FunctionDef(name=name):
            return [name]
        case ast.Nonlocal(names=names) | ast.Global(names=names):
            return names
    return []


class _Renamer(ast.NodeTransformer):
    """Puts other names in the place of variables, parameters and inner functions."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def generic_visit(self, node: ast.AST) -> ast.AST:
        match node:
            case ast.Name(id=name):
                node.id = self._names.get(name, name)
            case ast.arg(arg=name):
                node.arg = self._names.get(name, name)
            case ast.FunctionDef(name=name):
                node.name = self._names.get(name, name)
            case ast.Nonlocal(names=names) | ast.Global(names=names):
                node.names = [self._names.get(name, name) for name in names]
        return super().generic_visit(node)


class _WordsRemover(ast.NodeTransformer):
    """Takes out docstrings and type hints; the fields of a class keep theirs."""

    def __init__(self) -> None:
        self._functions_around = 0

    def generic_visit(self, node: ast.AST) -> ast.AST:
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module) and node.body:
            node.body = node.body[code_start(node.body) :] or [ast.Pass()]
        self._functions_around += is_function
        super().generic_visit(node)
        self._functions_around -= is_function
        if isinstance(node, ast.AnnAssign) and node.value and self._functions_around:
            return ast.Assign([node.target], node.value, lineno=node.lineno)
        return node
