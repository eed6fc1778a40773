"""Move, copy and take out whole statements, as text: comments and layout stay as they are."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from autograder.edits.model import EditKind
from autograder.edits.splicing import Source, Splice

Function = ast.FunctionDef | ast.AsyncFunctionDef
BLOCKS = ("body", "orelse", "finalbody")
COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.Try)
MOST_COPIES = 150
"""Copies of statements that are put into one function."""
LONGEST_COPY = 120
DONATED = 4
"""The cost of a statement of a right program."""


class Candidate(NamedTuple):
    """A splice with its kind and cost."""

    splice: Splice
    kind: EditKind
    cost: int


class Spot(NamedTuple):
    """A place where lines can be put in, and their indentation."""

    offset: int
    indent: str


@dataclass(slots=True)
class FunctionPlace:
    """A function with the names of all around it."""

    node: Function
    path: str
    in_class: ast.ClassDef | None
    outermost: Function
    inner: list[FunctionPlace] = field(default_factory=list)


def list_functions(tree: ast.Module) -> list[FunctionPlace]:
    """Return all functions of a program, each before those within it."""
    found: list[FunctionPlace] = []

    def visit(node: ast.AST, path: str, around: FunctionPlace | None) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                in_class = node if isinstance(node, ast.ClassDef) else None
                place = FunctionPlace(child, f"{path}{child.name}", in_class, around.outermost if around else child)
                found.append(place)
                if around:
                    around.inner.append(place)
                visit(child, f"{place.path}.", place)
            elif isinstance(child, ast.ClassDef):
                visit(child, f"{path}{child.name}.", around)
            elif isinstance(child, ast.stmt | ast.excepthandler):
                visit(child, path, around)

    visit(tree, "", None)
    return found


def iterate_blocks(root: ast.AST) -> Iterator[tuple[ast.AST, str, list[ast.stmt]]]:
    """Yield every list of statements below a node, with its owner and the field's name."""
    for node in ast.walk(root):
        for name in BLOCKS:
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield node, name, block


def code_start(block: list[ast.stmt]) -> int:
    """Return the index of the first statement behind a docstring."""
    return int(isinstance(block[0], ast.Expr) and isinstance(block[0].value, ast.Constant))


def iterate_block_edits(source: Source) -> Iterator[Candidate]:
    """Yield the edits that move, repeat and unwrap the statements of each block."""
    for owner, _, block in iterate_blocks(source.tree):
        for index in range(code_start(block), len(block)):
            statement = block[index]
            if source.lines_of(statement) is None:
                continue
            if isinstance(statement, COMPOUND):
                yield from _unwrap(source, statement)
            if not isinstance(owner, ast.Module | ast.ClassDef):
                yield from _move_within(source, block, index)
                yield from _move_into_neighbour(source, block, index)
        for statement in block:
            if isinstance(statement, (*COMPOUND, ast.FunctionDef)):
                yield from _move_out(source, statement, owner, block)


def _insert(source: Source, spot: Spot, statement: ast.stmt) -> Splice:
    return insert_text(source, spot, source.reindented([statement], spot.indent))


def insert_text(source: Source, spot: Spot, text: str) -> Splice:
    """Put lines in; at the end of a file without a last line break, they bring one."""
    needs_break = spot.offset == len(source.text) and not source.text.endswith(("\n", "\r"))
    return Splice(spot.offset, spot.offset, source.line_break * needs_break + text)


def before(source: Source, statement: ast.stmt) -> Spot | None:
    """Return the place above a statement."""
    lines = source.lines_of(statement)
    return Spot(lines[0], source.indent(statement)) if lines else None


def after(source: Source, statement: ast.stmt) -> Spot | None:
    """Return the place below a statement."""
    lines = source.lines_of(statement)
    return Spot(lines[1], source.indent(statement)) if lines else None


def _moved(source: Source, block: list[ast.stmt], index: int, spot: Spot | None, count: int = 1) -> Iterator[Splice]:
    removed = source.without(block, index, count)
    moved = block[index : index + count]
    if spot is None or removed is None or source.lines_of(moved[0], moved[-1]) is None:
        return
    if removed.start < spot.offset < removed.end:
        return
    yield source.merge([removed, insert_text(source, spot, source.reindented(moved, spot.indent))])


def _move_within(source: Source, block: list[ast.stmt], index: int) -> Iterator[Candidate]:
    """Move a statement up or down, to the beginning or end of its block; repeat it."""
    start = code_start(block)
    targets = []
    if index > start:
        targets.append((before(source, block[index - 1]), 2))
    if index > start + 1:
        targets.append((before(source, block[start]), 4))
    if index + 2 < len(block):
        targets.append((after(source, block[-1]), 4))
        targets.append((before(source, block[-1]), 4))
    for spot, cost in targets:
        for splice in _moved(source, block, index, spot):
            yield Candidate(splice, "move statement", cost)
    spot = after(source, block[index])
    if spot and not isinstance(block[index], ast.FunctionDef | ast.Return):
        yield Candidate(_insert(source, spot, block[index]), "add statement", 6)


def _move_into_neighbour(source: Source, block: list[ast.stmt], index: int) -> Iterator[Candidate]:
    """Move a statement to the end of the compound statement above it, or to the beginning of the one below it."""
    above = block[index - 1] if index else None
    while isinstance(above, (*COMPOUND, ast.FunctionDef)):
        for name in BLOCKS:
            if inner := getattr(above, name, None):
                for splice in _moved(source, block, index, after(source, inner[-1])):
                    yield Candidate(splice, "move statement", 3)
                for splice in _moved(source, block, index, before(source, inner[-1])):
                    yield Candidate(splice, "move statement", 4)
        above = above.body[-1]
    below = block[index + 1] if index + 1 < len(block) else None
    while isinstance(below, (*COMPOUND, ast.FunctionDef)):
        for splice in _moved(
            source, block, index, before(source, below.body[code_start(below.body) % len(below.body)])
        ):
            yield Candidate(splice, "move statement", 3)
        below = below.body[0]


def _move_out(source: Source, compound: ast.stmt, owner: ast.AST, around: list[ast.stmt]) -> Iterator[Candidate]:
    """Move a statement, or all from one to the end, out of its block: above or below what the block belongs to."""
    if isinstance(owner, ast.ClassDef | ast.Module) and not isinstance(compound, COMPOUND):
        return
    above, below = before(source, compound), after(source, compound)
    for name in BLOCKS:
        block = getattr(compound, name, [])
        for index in range(len(block)):
            for spot in (above, below, after(source, around[-1])):
                for splice in _moved(source, block, index, spot):
                    yield Candidate(splice, "move statement", 3)
            if 0 < index < len(block) - 1:
                for splice in _moved(source, block, index, below, len(block) - index):
                    yield Candidate(splice, "move statement", 4)


def _unwrap(source: Source, compound: ast.stmt) -> Iterator[Candidate]:
    """Put a block in the place of its compound statement; leave ``else`` out, or only its line."""
    lines, indent = source.lines_of(compound), source.indent(compound)
    body, orelse = getattr(compound, "body", []), getattr(compound, "orelse", [])
    if lines is None or source.lines_of(body[0], body[-1]) is None:
        return
    kept = source.reindented(body, indent)
    yield Candidate(Splice(*lines, kept), "condition", 4)
    below = source.lines_of(orelse[0], orelse[-1]) if orelse else None
    body_lines = source.lines_of(body[0], body[-1])
    if below is None or body_lines is None:
        return
    if not source.text.startswith("elif", below[0] + len(source.indent(orelse[0]))):
        alternative = source.reindented(orelse, indent)
        yield Candidate(Splice(*lines, alternative), "condition", 4)
        yield Candidate(Splice(body_lines[1], below[1], alternative), "condition", 3)
    yield Candidate(Splice(body_lines[1], below[1], ""), "condition", 4)


def list_spots(source: Source, function: ast.AST) -> list[Spot]:
    """Return the places in a function where a statement can be put in."""
    spots: dict[Spot, None] = {}
    for _, _, block in iterate_blocks(function):
        for statement in block[code_start(block) :]:
            if spot := before(source, statement):
                spots[spot] = None
        if spot := after(source, block[-1]):
            spots[spot] = None
    return list(spots)


def iterate_copies(source: Source, functions: list[FunctionPlace]) -> Iterator[Candidate]:
    """Put statements of a class into its other methods, and of a function elsewhere in it; the shared ones first."""
    for place in functions:
        if place.node is not place.outermost:
            continue
        siblings = [
            other for other in functions if other.in_class is place.in_class and other.node is other.outermost
        ]
        own = _count_simple_statements(source, place.node)
        counts: dict[str, int] = {}
        for other in siblings:
            for text in _count_simple_statements(source, other.node):
                counts[text] = counts.get(text, 0) + 1
        local = {one.id for one in ast.walk(place.node) if isinstance(one, ast.Name)} | {
            one.arg for one in ast.walk(place.node) if isinstance(one, ast.arg)
        }
        shared = sorted(
            (text for text in counts if counts[text] > 1 and text not in own), key=lambda one: -counts[one]
        )
        spots = list_spots(source, place.node)
        made = 0
        for text in (*(one for one in shared if counts[one] > 1), *own):
            if made > MOST_COPIES or not _names_in(text) <= local:
                continue
            for spot in spots:
                made += 1
                splice = insert_text(source, spot, spot.indent + text + source.line_break)
                yield Candidate(splice, "add statement", 6 if text in own else 4)


def _names_in(text: str) -> set[str]:
    return {one.id for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Name) and one.id[:1].islower()}


def _count_simple_statements(source: Source, function: ast.AST) -> dict[str, int]:
    """Return the short statements of one line in a function."""
    found: dict[str, int] = {}
    for _, _, block in iterate_blocks(function):
        for statement in block[code_start(block) :]:
            if isinstance(statement, ast.Assign | ast.AugAssign | ast.Expr | ast.Return | ast.Continue | ast.Break):
                text = source.piece(statement)
                if "\n" not in text and "\r" not in text and len(text) <= LONGEST_COPY:
                    found[text] = found.get(text, 0) + 1
    return found


def iterate_definition_edits(
    source: Source, functions: list[FunctionPlace], undefined: frozenset[str]
) -> Iterator[Candidate]:
    """Yield what a file, class or function may lack: an import, ``self``, a default, ``nonlocal``, ``return``."""
    body = source.tree.body
    if body and (spot := before(source, body[min(code_start(body), len(body) - 1)])):
        later = [one for one in body if isinstance(one, ast.ImportFrom) and one.module == "__future__"]
        spot = after(source, later[-1]) if later else spot
        for name in sorted(undefined & sys.stdlib_module_names):
            if spot:
                yield Candidate(insert_text(source, spot, f"import {name}{source.line_break}"), "add statement", 0)
    for place in functions:
        yield from _complete_definition(source, place)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ClassDef):
            yield from _move_into_init(source, node)


def _complete_definition(source: Source, place: FunctionPlace) -> Iterator[Candidate]:
    function = place.node
    parameters = function.args.args
    decorated = {one.id for one in function.decorator_list if isinstance(one, ast.Name)}
    header = re.compile(r"def\s+\w+\s*\(").search(source.text, source.offset(function.lineno, function.col_offset))
    if place.in_class and header and (not parameters or parameters[0].arg != "self") and not decorated:
        yield Candidate(Splice(header.end(), header.end(), "self, " if parameters else "self"), "argument", 1)
    if place.in_class and not decorated and (spot := before(source, function)):
        decorator = "property" if len(parameters) == 1 else "staticmethod"
        text = f"{spot.indent}@{decorator}{source.line_break}"
        yield Candidate(insert_text(source, spot, text), "add statement", 7)
    for parameter in parameters[len(function.args.posonlyargs) : len(parameters) - len(function.args.defaults)][-1:]:
        if parameter.arg != "self":
            end = source.span(parameter)[1]
            for default in ("()", "None", "0", "0.0", '""', "True", "False"):
                sign = " = " if parameter.annotation else "="
                yield Candidate(Splice(end, end, sign + default), "default", 4)
    start = code_start(function.body)
    first, last = before(source, function.body[min(start, len(function.body) - 1)]), after(source, function.body[-1])
    if first is None or last is None:
        return
    stored = {one.id for one in ast.walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    read = {one.id for one in ast.walk(function) if isinstance(one, ast.Name)} | {one.arg for one in parameters}
    word = "nonlocal" if place.outermost is not function else "global"
    for name in sorted(stored):
        text = f"{first.indent}{word} {name}{source.line_break}"
        yield Candidate(insert_text(source, first, text), "add statement", 4 if word == "nonlocal" else 6)
    for name in (*sorted(read | {one.node.name for one in place.inner}), "NotImplemented"):
        text = f"{last.indent}return {name}{source.line_break}"
        yield Candidate(insert_text(source, last, text), "add statement", 3)


def _move_into_init(source: Source, class_: ast.ClassDef) -> Iterator[Candidate]:
    """Let every object have its own: ``grad = 0`` in a class -> ``self.grad = 0`` in ``__init__``."""
    init = next((one for one in class_.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
    for index, statement in enumerate(class_.body):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.expr() as value):
                pass
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                pass
            case _:
                continue
        removed, lines = source.without(class_.body, index), source.lines_of(statement)
        if removed is None or lines is None:
            continue
        text = f"self.{name} = {source.piece(value)}{source.line_break}"
        if init is None:
            indent, line_break = source.indent(statement), source.line_break
            made = f"{indent}def __init__(self):{line_break}{indent * 2}{text}"
            yield Candidate(Splice(*lines, made), "move statement", 2)
        elif spot := before(source, init.body[min(code_start(init.body), len(init.body) - 1)]):
            yield Candidate(
                source.merge([removed, insert_text(source, spot, spot.indent + text)]), "move statement", 1
            )


def iterate_donated_statements(
    source: Source, functions: list[FunctionPlace], donor_functions: list[FunctionPlace]
) -> Iterator[Candidate]:
    """Put statements of a right program's function into the function of the same name, or in place of one there."""
    for place, given in pair_functions(functions, donor_functions):
        own = {ast.unparse(one) for _, _, block in iterate_blocks(place.node) for one in block}
        names = dict(
            zip((one.arg for one in given.node.args.args), (one.arg for one in place.node.args.args), strict=False)
        )
        spots = list_spots(source, place.node)
        for _, _, block in iterate_blocks(given.node):
            for statement in block[code_start(block) :]:
                text = ast.unparse(_Renamed(names).visit(ast.parse(ast.unparse(statement))))
                if text in own or len(text) > LONGEST_COPY * 3:
                    continue
                rows = text.split("\n")
                for spot in spots:
                    text = "".join(f"{spot.indent}{row}{source.line_break}" for row in rows)
                    yield Candidate(insert_text(source, spot, text), "add statement", DONATED)
                for _, _, own_block in iterate_blocks(place.node):
                    for old in own_block[code_start(own_block) :]:
                        if type(old) is type(statement) and (lines := source.lines_of(old)):
                            text = "".join(f"{source.indent(old)}{row}{source.line_break}" for row in rows)
                            yield Candidate(Splice(*lines, text), "add statement", DONATED)


def pair_functions(
    functions: list[FunctionPlace], donor_functions: list[FunctionPlace]
) -> Iterator[tuple[FunctionPlace, FunctionPlace]]:
    """Yield functions of two programs that have the same name, or are the only ones within such."""
    by_path = {place.path: place for place in donor_functions}
    for place in functions:
        if place.path in by_path:
            yield place, by_path[place.path]
        for given in [by_path[place.path]] if place.path in by_path else []:
            if len(place.inner) == len(given.inner) == 1 and place.inner[0].node.name != given.inner[0].node.name:
                yield place.inner[0], given.inner[0]


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self._names.get(node.id, node.id)
        return node
