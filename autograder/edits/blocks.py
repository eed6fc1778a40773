"""Move, copy and take out whole statements, as text: comments and layout stay as they are."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from autograder.edits.model import EditKind
from autograder.edits.splicing import Source, Splice

Function = ast.FunctionDef | ast.AsyncFunctionDef
BLOCKS = ("body", "orelse", "finalbody")
LEAVES = (ast.Return, ast.Raise, ast.Break, ast.Continue)
COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.Try)


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
        leaves = any(map(_may_leave, block[index - 1 : index + 1]))
        targets.append((before(source, block[index - 1]), 4 if leaves else 2))
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


def _may_leave(statement: ast.stmt) -> bool:
    """Return whether a statement may keep those below it from running: to move it is more than another order."""
    return isinstance(statement, ast.If) and any(isinstance(node, LEAVES) for node in ast.walk(statement))


def _move_into_neighbour(source: Source, block: list[ast.stmt], index: int) -> Iterator[Candidate]:
    """Move a statement to the end of the compound statement above it, or to the beginning of the one below it."""
    above = block[index - 1] if index else None
    more = 2 * _may_leave(block[index])
    while isinstance(above, (*COMPOUND, ast.FunctionDef)):
        for name in BLOCKS:
            if inner := getattr(above, name, None):
                for splice in _moved(source, block, index, after(source, inner[-1])):
                    yield Candidate(splice, "move statement", 3 + more)
                for splice in _moved(source, block, index, before(source, inner[-1])):
                    yield Candidate(splice, "move statement", 4 + more)
        above = above.body[-1]
    below = block[index + 1] if index + 1 < len(block) else None
    while isinstance(below, (*COMPOUND, ast.FunctionDef)):
        for splice in _moved(
            source, block, index, before(source, below.body[code_start(below.body) % len(below.body)])
        ):
            yield Candidate(splice, "move statement", 3 + more)
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
