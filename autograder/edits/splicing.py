"""Change a program as text: put a piece in the place of a node, and move, copy or take out statements."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from autograder.edits.model import EditKind

LINE_BREAK = re.compile(r"\r\n|\r|\n")
LINE_START = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")
APPENDING = re.compile(r"([\w.]+)\.append\((.+)\)")
SIGNS = "+-*/%@&|^<>"
"""What may stand before the ``=`` of an assignment."""
GAPS = (ast.Assign, ast.AugAssign)
WITHOUT_PLACE = (ast.arguments, ast.comprehension, ast.withitem)
"""Nodes without a position that hold expressions."""
NEED_NO_PARENTHESES = (
    ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.List, ast.Dict, ast.Set, ast.Tuple, ast.ListComp,
    ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.JoinedStr, ast.Constant,
)  # fmt: skip
MAY_NEED_PARENTHESES = (
    ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Attribute, ast.Subscript, ast.IfExp, ast.Starred, ast.Await,
    ast.Call, ast.comprehension,
)  # fmt: skip
IN_GROUPING_PARENTHESES = (
    ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Attribute, ast.Assign, ast.AugAssign, ast.Return,
)  # fmt: skip
"""Parents that have no parentheses of their own: those around their expressions only group."""


class Splice(NamedTuple):
    """A piece of a source, from one offset to another, and what takes its place."""

    start: int
    end: int
    text: str


class Source:
    """A source with its tree, whose positions are counted in characters."""

    def __init__(self, text: str, tree: ast.Module) -> None:
        """Find the lines of a text that has this tree."""
        self.text = text
        self.tree = tree
        self.line_starts = [0, *(match.end() for match in LINE_BREAK.finditer(text))]
        self.line_break = match[0] if (match := LINE_BREAK.search(text)) else "\n"
        self._ascii = text.isascii()

    def offset(self, line: int, column: int) -> int:
        """Return the place of a position whose column counts bytes, as the parser's do."""
        start = self.line_starts[line - 1]
        if self._ascii:
            return start + column
        end = self.line_starts[line] if line < len(self.line_starts) else len(self.text)
        return start + len(self.text[start:end].encode()[:column].decode(errors="ignore"))

    def span(self, node: ast.expr | ast.stmt | ast.keyword | ast.arg | ast.excepthandler) -> tuple[int, int]:
        """Return where a node starts and ends; a definition starts at its first decorator's line."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        end = self.offset(node.end_lineno, node.end_col_offset)
        if decorators := getattr(node, "decorator_list", None):
            line_start = self.line_starts[decorators[0].lineno - 1]
            return self.text.index("@", line_start), end
        return self.offset(node.lineno, node.col_offset), end

    def piece(self, node: ast.expr | ast.stmt) -> str:
        """Return a node's text."""
        start, end = self.span(node)
        return self.text[start:end]

    def line_at(self, offset: int) -> int:
        """Return the number of the line in which an offset lies."""
        return bisect_right(self.line_starts, offset)

    def lines_of(self, first: ast.stmt, last: ast.stmt | None = None) -> tuple[int, int] | None:
        """Return where the lines of statements start and end; None where other code shares these lines."""
        start, end = self.span(first)[0], self.span(last or first)[1]
        line_start = self.line_starts[self.line_at(start) - 1]
        number = self.line_at(end)
        line_end = self.line_starts[number] if number < len(self.line_starts) else len(self.text)
        after = self.text[end:line_end].strip()
        if self.text[line_start:start].strip() or (after and not after.startswith("#")):
            return None
        return line_start, line_end

    def indent(self, statement: ast.stmt) -> str:
        """Return the white space before a statement that starts its line."""
        start = self.span(statement)[0]
        return self.text[self.line_starts[self.line_at(start) - 1] : start]

    def reindented(self, statements: Sequence[ast.stmt], indent: str) -> str:
        """Return the lines of statements with another indentation; lines within texts stay as they are."""
        lines = self.lines_of(statements[0], statements[-1])
        assert lines is not None
        first, old_indent = self.line_at(lines[0]), self.indent(statements[0])
        within_texts = {
            line
            for statement in statements
            for node in ast.walk(statement)
            if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno
            for line in range(node.lineno + 1, node.end_lineno + 1)
        }
        rows = [row for row in LINE_START.split(self.text[lines[0] : lines[1]]) if row]
        moved = [
            indent + row.removeprefix(old_indent)
            if number not in within_texts and row.startswith(old_indent)
            else row
            for number, row in enumerate(rows, first)
        ]
        text = "".join(moved)
        return text if text.endswith(("\n", "\r")) else text + self.line_break

    def merge(self, splices: Iterable[Splice]) -> Splice:
        """Make one splice of several that do not overlap."""
        ordered = sorted(splices)
        pieces = [ordered[0].text]
        for before, splice in pairwise(ordered):
            pieces += [self.text[before.end : splice.start], splice.text]
        return Splice(ordered[0].start, ordered[-1].end, "".join(pieces))

    def without(self, block: list[ast.stmt], index: int, count: int = 1) -> Splice | None:
        """Take statements out of a block, and leave ``pass`` where nothing is left."""
        first, last = block[index], block[index + count - 1]
        lines = self.lines_of(first, last)
        if len(block) == count:
            return Splice(self.span(first)[0], self.span(last)[1], "pass")
        return Splice(*lines, "") if lines else Splice(self.span(first)[0], self.span(last)[1], "pass")


def unparse(node: ast.AST, source: Source) -> str:
    """Return a node's code, in which texts have the quotes that they have in the source."""
    text = ast.unparse(ast.Expr(node) if isinstance(node, ast.expr) else node)
    if "'" in text or '"' in text:
        for inner in ast.walk(node):
            if isinstance(inner, ast.JoinedStr):
                break
            if isinstance(inner, ast.Constant) and isinstance(inner.value, str) and hasattr(inner, "lineno"):
                text = text.replace(repr(inner.value), source.piece(inner), 1)
    return text


def splice_node(source: Source, parent: ast.AST, field: str, old: ast.AST, new: ast.AST) -> Splice | None:
    """Put a node in another's place, by the smallest piece of text that does it; None where no piece does."""
    smallest = (parent, field, old, new)
    while (difference := _only_difference(old, new)) is not None:
        parent, (field, old, new) = old, difference
        if isinstance(old, ast.expr | ast.stmt):
            smallest = (parent, field, old, new)
    parent, field, old, new = smallest
    if isinstance(old, ast.expr) and isinstance(new, ast.expr):
        return _splice_expression(source, parent, field, old, new)
    if isinstance(old, ast.stmt) and isinstance(new, ast.stmt):
        return _splice_statement(source, parent, field, old, new)
    return None


def _only_difference(old: ast.AST, new: ast.AST) -> tuple[str, ast.AST, ast.AST] | None:
    """Return the one field in which nodes differ, with both values; None if a smaller piece cannot be replaced."""
    if type(old) is not type(new) or isinstance(old, ast.JoinedStr):
        return None
    found = None
    for name in old._fields:
        before, after = getattr(old, name, None), getattr(new, name, None)
        if before is after:
            continue
        if isinstance(before, list) and isinstance(after, list):
            if len(before) != len(after):
                return None
            pairs = [(one, other) for one, other in zip(before, after, strict=True) if one is not other]
        else:
            pairs = [(before, after)]
        for one, other in pairs:
            if found or not (isinstance(one, (ast.expr, ast.stmt, ast.keyword, *WITHOUT_PLACE))):
                return None
            if not isinstance(other, ast.AST):
                return None
            found = name, one, other
    return found


def _splice_expression(source: Source, parent: ast.AST, field: str, old: ast.expr, new: ast.expr) -> Splice:
    start, end = source.span(old)
    text = unparse(new, source)
    if isinstance(old, ast.GeneratorExp) or not isinstance(parent, IN_GROUPING_PARENTHESES):
        grouped = False
    else:
        before, after = source.text[:start].rstrip(), source.text[end:]
        grouped = before.endswith("(") and after.lstrip().startswith(")")
        if grouped:
            start, end = len(before) - 1, end + after.index(")") + 1
    if isinstance(new, NEED_NO_PARENTHESES) or not isinstance(parent, MAY_NEED_PARENTHESES):
        needed = False
    elif isinstance(parent, ast.Call):
        needed = field == "func"
    else:
        needed = f"({text})" in ast.unparse(_with_other_child(parent, field, old, new))
    if isinstance(new, ast.NamedExpr | ast.Yield | ast.YieldFrom) and text[:1] != "(":
        needed = True
    return Splice(start, end, f"({text})" if needed else _apart(source.text, start, end, text))


def _with_other_child(parent: ast.AST, field: str, old: ast.AST, new: ast.AST) -> ast.AST:
    value = getattr(parent, field)
    other: ast.AST = type(parent)(**{name: getattr(parent, name) for name in parent._fields})
    setattr(other, field, [new if one is old else one for one in value] if isinstance(value, list) else new)
    return other


def _apart(source: str, start: int, end: int, text: str) -> str:
    """Return the text with a space where a name beside it would run into it, as in ``return(x)`` -> ``return x``."""
    before = (
        " " if start and (source[start - 1].isalnum() or source[start - 1] == "_") and text[0].isidentifier() else ""
    )
    after = " " if source[end : end + 1].isidentifier() and (text[-1].isalnum() or text[-1] == "_") else ""
    return before + text + after


def _splice_statement(source: Source, parent: ast.AST, field: str, old: ast.stmt, new: ast.stmt) -> Splice | None:
    if isinstance(new, ast.Pass):
        block = getattr(parent, field)
        return source.without(block, block.index(old))
    is_other_sign = isinstance(old, ast.AugAssign) or isinstance(new, ast.AugAssign)
    if is_other_sign and isinstance(old, GAPS) and isinstance(new, GAPS) and old.value is new.value:
        return _splice_sign_of_assignment(source, old, new)
    if isinstance(old, ast.FunctionDef) and isinstance(new, ast.FunctionDef) and old.args is not new.args:
        first = source.text.index("(", source.span(old)[0]) + 1
        given = [source.span(one)[1] for one in ast.walk(old.args) if isinstance(one, ast.arg | ast.expr)]
        return Splice(first, max(given, default=first), ast.unparse(new.args))
    if isinstance(old, ast.FunctionDef | ast.ClassDef) and type(old) is type(new):
        kept = getattr(new, "decorator_list", [])
        lost = [decorator for decorator in old.decorator_list if decorator not in kept]
        if len(lost) != 1:
            return None
        first, last = source.line_at(source.span(lost[0])[0]), source.line_at(source.span(lost[0])[1])
        return Splice(source.line_starts[first - 1], source.line_starts[last], "")
    if isinstance(old, ast.While | ast.For | ast.If):
        start = source.span(old)[0]
        if type(old) is not type(new) and isinstance(old, ast.While):
            return Splice(start, start + len("while"), "if")
        added = [one for one in getattr(new, "body", []) if one not in old.body]
        lines = source.lines_of(old.body[0])
        if len(added) != 1 or lines is None:
            return None
        text = source.indent(old.body[0]) + ast.unparse(added[0]) + source.line_break
        return Splice(lines[0], lines[0], text)
    if hasattr(old, "body"):
        return None
    return Splice(*source.span(old), unparse(new, source))


def _splice_sign_of_assignment(
    source: Source, old: ast.Assign | ast.AugAssign, new: ast.Assign | ast.AugAssign
) -> Splice | None:
    target = old.target if isinstance(old, ast.AugAssign) else old.targets[-1]
    if isinstance(old, ast.Assign) and len(old.targets) > 1:
        return None
    start, end = source.span(target)[1], source.span(old.value)[0]
    gap = source.text[start:end]
    equals = gap.find("=")
    if equals < 0:
        return None
    sign_start = len(gap[:equals].rstrip(SIGNS))
    sign = "="
    if isinstance(new, ast.AugAssign):
        sign = ast.unparse(ast.AugAssign(ast.Name("a"), new.op, ast.Name("b"))).split()[1]
    return Splice(start + sign_start, start + equals + 1, sign)


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
                yield from _cross_assignments(source, block[index : index + 2])
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
    yield from _turn_list_around(source, block, index)
    spot = after(source, block[index])
    if spot and not isinstance(block[index], ast.FunctionDef | ast.Return):
        yield Candidate(_insert(source, spot, block[index]), "add statement", 6)


def _turn_list_around(source: Source, block: list[ast.stmt], index: int) -> Iterator[Candidate]:
    """Collect in the opposite order: ``a.append(x)`` above the rest of a block -> ``a.insert(0, x)`` below it."""
    appended = APPENDING.fullmatch(source.piece(block[index]))
    spot, removed = after(source, block[-1]), source.without(block, index)
    if appended and spot and removed and block[index] is not block[-1]:
        text = f"{spot.indent}{appended[1]}.insert(0, {appended[2]}){source.line_break}"
        yield Candidate(source.merge([removed, insert_text(source, spot, text)]), "move statement", 4)


def _cross_assignments(source: Source, statements: Sequence[ast.stmt]) -> Iterator[Candidate]:
    """Give each of two assignments the other's value: ``a += b``, ``c += d`` -> ``a += d``, ``c += b``."""
    match [*statements]:
        case [ast.Assign(value=one), ast.Assign(value=other)] | [
            ast.AugAssign(value=one),
            ast.AugAssign(value=other),
        ] if ast.dump(one) != ast.dump(other):
            swapped = [
                Splice(*source.span(one), source.piece(other)),
                Splice(*source.span(other), source.piece(one)),
            ]
            yield Candidate(source.merge(swapped), "operands", 3)


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
        for index in range(len(block) if len(block) > 1 else 0):  # to move all of it leaves an idle compound
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
