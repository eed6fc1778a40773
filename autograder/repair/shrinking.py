"""List the pieces of a change of a text that may be undone by themselves, to find out which of them are needed."""

from __future__ import annotations

import ast
import re
import textwrap
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import accumulate, pairwise, takewhile
from typing import Any

from autograder.syntax_trees import SyntaxTree, parse_bounded_source

TOKEN = re.compile(r"\n|[^\S\n]+|[\w.]+|\*\*=?|//=?|->|[-+*/%@&|^=!<>]=|[^\w\s.]")
LINE = re.compile(r"\n|[^\n]+\n?")
MOST_PIECES = 60
"""A change of more pieces is left as it is."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some tokens of a text, and those that take their place."""

    start: int
    end: int
    old: tuple[str, ...]
    new: tuple[str, ...]
    hunk: int
    """The place of the changed lines that it is in."""
    row: int
    """The line of the old text in which it begins."""
    new_row: tuple[int, int]
    """The same of the new text: its hunk, and its line there."""
    index: int
    """Its place among the pieces."""


class Change:
    """A change of a text, in pieces."""

    def __init__(self, text: str, changed_text: str) -> None:
        """Find the pieces: within lines that differ, the tokens that do; lines that come or go by themselves."""
        self._tokens = TOKEN.findall(text)
        self.pieces = tuple(_list_pieces(text, changed_text))

    def make_text(self, pieces: Collection[Piece]) -> str:
        """Return the text with some of the pieces changed."""
        tokens: list[str] = []
        place = 0
        for piece in sorted(pieces, key=lambda one: one.index):
            tokens += [*self._tokens[place : piece.start], *piece.new]
            place = piece.end
        return "".join([*tokens, *self._tokens[place:]])

    def list_groups(self, pieces: Collection[Piece]) -> list[frozenset[Piece]]:
        """Return pieces that may be undone together, the most at once first: of one place, one line, or alike."""
        groups: dict[object, set[Piece]] = defaultdict(set)
        for piece in sorted(pieces, key=lambda one: one.index):
            for key in (
                ("hunk", piece.hunk),
                ("row", piece.row),
                ("new row", *piece.new_row),
                (piece.old, piece.new),
                piece.index,
            ):
                groups[key].add(piece)
        distinct = dict.fromkeys(frozenset(group) for group in groups.values() if len(group) < len(pieces))
        return sorted(distinct, key=lambda group: -len(group))


def find_difference(before: str, after: str) -> tuple[str, str]:
    """Return what differs of two pieces of code: expressions, or else tokens.

    >>> find_difference("if at != len(rows):", "if at != len(rows) - 1:")
    ('len(rows)', 'len(rows) - 1')
    >>> find_difference("self.grad += slope", "self.grad -= slope")
    ('+=', '-=')
    """
    old, new = TOKEN.findall(before), TOKEN.findall(after)
    one, other = _parse_statement(before), _parse_statement(after)
    if one and other and (pair := _find_other_expressions(one[0], other[0])):
        pieces = ast.get_source_segment(one[1], pair[0]), ast.get_source_segment(other[1], pair[1])
        if pieces[0] and pieces[1]:
            return pieces[0], pieces[1]
    above = len(list(takewhile(_are_equal, zip(old, new, strict=False))))
    below = len(list(takewhile(_are_equal, zip(old[above:][::-1], new[above:][::-1], strict=False))))
    gone, come = ("".join(tokens[above : len(tokens) - below]).strip() for tokens in (old, new))
    if gone and come and _is_balanced(gone) and _is_balanced(come):
        return gone, come
    return before.strip(), after.strip()


def _parse_statement(code: str) -> tuple[ast.stmt, str] | None:
    """Return the tree of one statement, or of the line that begins one, and the text that was parsed."""
    text = textwrap.dedent(code).strip()
    for whole in (text, f"{text.removeprefix('el')} pass"):
        tree = parse_bounded_source(whole)
        if isinstance(tree, SyntaxTree) and len(tree.tree.body) == 1:
            return tree.tree.body[0], whole
    return None


def _find_other_expressions(one: ast.AST, other: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """Return the smallest expressions in which two statements differ; None where more than these differ."""
    found: tuple[ast.expr, ast.expr] | None = None
    while type(one) is type(other):
        pairs = [
            pair
            for field in one._fields
            for pair in _pair_up(getattr(one, field, None), getattr(other, field, None))
            if _dump(pair[0]) != _dump(pair[1])
        ]
        if len(pairs) != 1 or not all(isinstance(node, ast.AST) for node in pairs[0]):
            break
        one, other = pairs[0]
        if isinstance(one, ast.expr) and isinstance(other, ast.expr):
            found = one, other
    return found


def _pair_up(one: object, other: object) -> list[tuple[Any, Any]]:
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return list(zip(one, other, strict=True))
    return [(one, other)]


def _dump(node: object) -> str:
    return ast.dump(node) if isinstance(node, ast.AST) else repr(node)


def _are_equal(pair: tuple[str, str]) -> bool:
    return pair[0] == pair[1]


def _is_balanced(code: str) -> bool:
    return all(code.count(left) == code.count(right) for left, right in ("()", "[]", "{}"))


def _list_pieces(text: str, changed_text: str) -> list[Piece]:
    lines, changed = LINE.findall(text), LINE.findall(changed_text)
    starts = [0, *accumulate(len(TOKEN.findall(line)) for line in lines)]
    found: list[Piece] = []
    matcher = SequenceMatcher(None, lines, changed, autojunk=False)
    for hunk, (tag, start, end, new_start, new_end) in enumerate(matcher.get_opcodes()):
        if tag == "equal":
            continue
        old, new = TOKEN.findall("".join(lines[start:end])), TOKEN.findall("".join(changed[new_start:new_end]))
        for first, last, new_first, come in _iterate_token_changes(old, new):
            row, offset = start + old[:first].count("\n"), starts[start]
            new_row = (hunk, new[:new_first].count("\n"))
            gone = tuple(old[first:last])
            found.append(Piece(offset + first, offset + last, gone, tuple(come), hunk, row, new_row, len(found)))
    return found


def _iterate_token_changes(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int, list[str]]]:
    """Yield where tokens change, in both texts, and into which; lines that come or go are changes of their own."""
    for tag, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        within = start > 0 and old[start - 1] != "\n"
        gone, come = (_split_lines(run, within=within) for run in (old[start:end], new[new_start:new_end]))
        if gone and come:
            yield start, end, new_start, [*new[new_start:new_end]]
            continue
        places = [start, *accumulate(map(len, gone), initial=start)][1:]
        for first, last in pairwise(places):
            yield first, last, new_start, []
        for new_first, row in zip(accumulate(map(len, come), initial=new_start), come, strict=False):
            yield start, start, new_first, row


def _split_lines(tokens: Sequence[str], *, within: bool) -> list[list[str]]:
    """Return tokens line by line; those that begin within a line leave it its end, and take that of the last one."""
    rows: list[list[str]] = [[]]
    for token in tokens:
        if token == "\n" and within:
            rows.append([])
        rows[-1].append(token)
        if token == "\n" and not within:
            rows.append([])
    return [row for row in rows if row]
