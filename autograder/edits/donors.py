"""Read right programs as donors, and make their functions and lines a student's."""

from __future__ import annotations

import ast
import builtins
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from autograder.edits.model import changed
from autograder.edits.names import bound_names
from autograder.edits.splicing import COMPOUND, Function, Source, Splice, code_start, list_functions
from autograder.syntax_trees import MOST_DEPTH, SyntaxTree, parse_bounded_source

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
    names = dict(zip(_list_parameters(given), _list_parameters(mine), strict=False))
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


def _list_parameters(function: Function) -> list[str]:
    """Return the names of the parameters that have places."""
    return [one.arg for one in (*function.args.posonlyargs, *function.args.args)]


@lru_cache(MOST_REMEMBERED)
def _describe_names(function: Function) -> dict[str, Counter[str]]:
    """Return how often each local name of a function is used in which way; parameters are known by their places."""
    parameters = {name: f"p{place}" for place, name in enumerate(_list_parameters(function))}
    local = [name for name in bound_names(ast.walk(function)) if name not in parameters and name != function.name]
    blank = _Renamer(dict.fromkeys(local, "_") | parameters)
    found: dict[str, Counter[str]] = {name: Counter() for name in local}
    for statement in ast.walk(function):
        if not isinstance(statement, ast.stmt) or statement is function:
            continue
        head = _head_of(statement)
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


def _head_of(statement: ast.stmt) -> ast.stmt:
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
                if not _is_of_python(statement):
                    return None
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


def _is_of_python(statement: ast.stmt) -> bool:
    """Return whether a statement imports nothing but the standard library: another's own module is not there."""
    match statement:
        case ast.Import(names=names):
            return all(one.name.partition(".")[0] in sys.stdlib_module_names for one in names)
        case ast.ImportFrom(module=module):
            return (module or "").partition(".")[0] in sys.stdlib_module_names
    return True


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


class Piece(NamedTuple):
    """Some lines, the student's or a donor's."""

    text: str
    is_own: bool


@dataclass(frozen=True, slots=True)
class MergedLines:
    """The lines of a student and a donor together."""

    pieces: list[Piece]
    lost: int
    """The number of the student's lines that are left out."""

    @property
    def text(self) -> str:
        """Return all of the lines."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def hunks(self) -> int:
        """Return at how many places there are lines of the donor's."""
        return sum(not piece.is_own for piece in self.pieces)

    def count_new_lines(self) -> int:
        """Return how many lines are the donor's."""
        return sum(len(piece.text.splitlines()) for piece in self.pieces if not piece.is_own)


class Merger:
    """Makes a donor's statements of a student's, and keeps the student's lines where both mean the same."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._pieces: list[Piece] = []
        self._lost = 0

    def merge(self, mine: Sequence[ast.stmt], given: Sequence[ast.stmt], indent: str) -> MergedLines | None:
        """Return the lines; None where a student's statements share their lines."""
        if not self._merge_blocks(mine, given, indent):
            return None
        return MergedLines(self._pieces, self._lost)

    def _merge_blocks(self, mine: Sequence[ast.stmt], given: Sequence[ast.stmt], indent: str) -> bool:
        old, new = [ast.unparse(one) for one in mine], [ast.unparse(one) for one in given]
        for tag, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if tag == "equal":
                if not self._keep(mine[start:end]):
                    return False
            elif end - start == new_end - new_start:
                for one, other in zip(mine[start:end], given[new_start:new_end], strict=True):
                    if not self._merge_statements(one, other, indent):
                        return False
            else:
                self._take(given[new_start:new_end], indent)
                self._lose(mine[start:end])
        return True

    def _merge_statements(self, one: ast.stmt, other: ast.stmt, indent: str) -> bool:
        body: list[ast.stmt] = getattr(one, "body", [])
        lines = self._source.lines_of(one)
        kept = body[code_start(body) :] if isinstance(one, ast.FunctionDef) else body
        first = self._source.lines_of(kept[0]) if kept else None
        is_header_kept = (
            isinstance(one, (*COMPOUND, ast.FunctionDef))
            and type(one) is type(other)
            and not getattr(one, "orelse", None)
            and not getattr(other, "orelse", None)
            and not isinstance(one, ast.Try)
            and _without_hints(_head_of(one)) == _without_hints(_head_of(other))
        )
        if lines is None:
            return False
        if not is_header_kept or first is None:
            self._take([other], indent)
            self._lose([one])
            return True
        self._pieces.append(Piece(self._source.text[lines[0] : first[0]], is_own=True))
        return self._merge_blocks(kept, getattr(other, "body", []), self._source.indent(kept[0]))

    def _keep(self, statements: Sequence[ast.stmt]) -> bool:
        lines = self._source.lines_of(statements[0], statements[-1])
        if lines is None:
            return False
        text = self._source.text[lines[0] : lines[1]]
        self._pieces.append(
            Piece(text if text.endswith(("\n", "\r")) else text + self._source.line_break, is_own=True)
        )
        return True

    def _take(self, statements: Sequence[ast.stmt], indent: str) -> None:
        text = "".join(indent_statement(self._source, one, indent) for one in statements)
        if text and self._pieces and not self._pieces[-1].is_own:
            text = self._pieces.pop().text + text
        if text:
            self._pieces.append(Piece(text, is_own=False))

    def _lose(self, statements: Sequence[ast.stmt]) -> None:
        self._lost += sum((one.end_lineno or one.lineno) - one.lineno + 1 for one in statements)


def trim_same_lines(source: Source, splice: Splice) -> Splice:
    """Leave out the whole lines at both ends that a splice does not change."""
    old = source.text[splice.start : splice.end].splitlines(keepends=True)
    new = splice.text.splitlines(keepends=True)
    above = _count_equal(old, new)
    below = _count_equal(old[above:][::-1], new[above:][::-1])
    start = splice.start + sum(map(len, old[:above]))
    end = splice.end - sum(map(len, old[len(old) - below :]))
    return Splice(start, end, "".join(new[above : len(new) - below]))


def _count_equal(lines: Sequence[str], others: Sequence[str]) -> int:
    """Return how many lines at the beginning are equal."""
    return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(lines, others, strict=False))))


def _without_hints(statement: ast.stmt) -> str:
    if not isinstance(statement, ast.FunctionDef):
        return ast.unparse(statement)
    parameters = changed(statement.args, posonlyargs=[], args=[ast.arg(name) for name in _list_parameters(statement)])
    return " ".join([statement.name, ast.unparse(parameters), *map(ast.unparse, statement.decorator_list)])


def indent_statement(source: Source, statement: ast.stmt, indent: str) -> str:
    """Return the lines of a statement behind an indentation; lines within texts stay as they are."""
    return "".join(f"{indent}{row}{source.line_break}" for row in ast.unparse(statement).split("\n"))
