"""Put a piece of text in the place of a node, and leave the rest of the source as it was written."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

LINE_BREAK = re.compile(r"\r\n|\r|\n")
LINE_START = re.compile(r"(?<=\n)|(?<=\r)(?!\n)")
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
    for field in old._fields:
        before, after = getattr(old, field, None), getattr(new, field, None)
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
            found = field, one, other
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
    if isinstance(old, GAPS) and isinstance(new, GAPS) and old.value is new.value:
        return _splice_sign_of_assignment(source, old, new)
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
