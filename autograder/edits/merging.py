"""Make a right program's lines of a student's, and keep the student's lines where both mean the same."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from autograder.edits.blocks import COMPOUND, code_start
from autograder.edits.donors import head_of, list_parameters
from autograder.edits.model import changed
from autograder.edits.splicing import Source, Splice


@dataclass(frozen=True, slots=True)
class Piece:
    """Some lines, the student's or a donor's."""

    text: str
    is_own: bool


class MergedLines:
    """The lines of a student and a donor together."""

    def __init__(self, pieces: list[Piece], lost: int) -> None:
        self.text = "".join(piece.text for piece in pieces)
        self.lost = lost
        self._new = [piece.text for piece in pieces if not piece.is_own]
        self.hunks = len(self._new)

    def count_new_lines(self) -> int:
        """Return how many lines are the donor's."""
        return sum(len(text.splitlines()) for text in self._new)


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
            and _without_hints(head_of(one)) == _without_hints(head_of(other))
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
    same = [one == other for one, other in zip(old, new, strict=False)]
    above = same.index(False) if False in same else len(same)
    same = [one == other for one, other in zip(old[above:][::-1], new[above:][::-1], strict=False)]
    below = same.index(False) if False in same else len(same)
    start = splice.start + sum(map(len, old[:above]))
    end = splice.end - sum(map(len, old[len(old) - below :]))
    return Splice(start, end, "".join(new[above : len(new) - below]))


def _without_hints(statement: ast.stmt) -> str:
    if not isinstance(statement, ast.FunctionDef):
        return ast.unparse(statement)
    parameters = changed(statement.args, posonlyargs=[], args=[ast.arg(name) for name in list_parameters(statement)])
    return " ".join([statement.name, ast.unparse(parameters), *map(ast.unparse, statement.decorator_list)])


def indent_statement(source: Source, statement: ast.stmt, indent: str) -> str:
    """Return the lines of a statement behind an indentation; lines within texts stay as they are."""
    return "".join(f"{indent}{row}{source.line_break}" for row in ast.unparse(statement).split("\n"))
