"""Remove IPython's extensions of Python from a notebook's cell.

A cell that is Python already is left as it is. In any other cell, a magic counts only where a statement begins:
inside brackets, strings and continued lines, ``%`` is arithmetic or text. Lines keep their numbers.
"""

from __future__ import annotations

import ast
import re

from autograder.cached_syntax_trees import parse_bounded_source
from autograder.syntax_tree import SyntaxTree

KEEPS_BODY = frozenset({"time", "timeit", "capture", "prun"})
"""Cell magics whose body is plain Python with its definitions in effect."""

MOST_PARSED = 16_384
"""Longest cell, in characters, that is parsed. A parser can need a gigabyte and a minute for a megabyte of hostile
text, so a longer cell is read line by line instead."""
MAGIC_LINE = re.compile(r"^\s*(?:[%!].*|\?{1,2}\S.*|[\w.*%]+\s*\?{1,2}\s*)$")
MAGIC_VALUE = re.compile(r"^([\w.,\s]+=)\s*[%!].*$")
LINE_WITH_CODE = re.compile(r"^(\s*)%(?:time|timeit)\s+(?:-\S+\s+(?:\d+\s+)?)*(.+)$", re.S)
SIGN = re.compile(r"[%!?]")
TOKEN = re.compile(r"\"{3}|'{3}|\\.|[\"'#()\[\]{}]")
OPEN, CLOSE = "([{", ")]}"


def convert_cell_to_plain_python(source: str, *, may_parse: bool = True) -> str:
    r"""Return the cell as plain Python.

    A cell whose first line is a cell magic that does not keep its body as Python, such as ``%%bash`` or an unknown
    one, becomes empty. Other text that cannot be converted comes back as it is.

    Args:
        source: the cell's text.
        may_parse: whether to parse a short cell to see whether it is Python already; otherwise it is read line by
            line, as a long one is.

    >>> convert_cell_to_plain_python("%timeit backward()\n!pip install numpy\na = 1")
    'backward()\n\na = 1'
    """
    start, lines = 0, source.split("\n")
    while (number := _find_first_nonblank_line(lines, start)) < len(lines) and lines[number].lstrip().startswith(
        "%%"
    ):
        words = lines[number].strip()[2:].split()
        if not (words and (words[0] in KEEPS_BODY or (words[0] == "writefile" and words[-1].endswith(".py")))):
            return ""
        lines[number], start = "", number + 1
    source = "\n".join(lines) if start else source
    if may_parse and try_parse_cell(source) is not None:
        return source
    plain_lines: list[str] = []
    state = _StatementTracker()
    swallowing = False
    for line in source.split("\n"):
        if not line and state.is_at_statement_start and not swallowing:
            plain_lines.append(line)
        elif swallowing or state.is_at_statement_start:
            plain_line, is_magic = ("", True) if swallowing else _remove_magic(line)
            swallowing = is_magic and line.endswith("\\")
            plain_lines.append(plain_line)
            if not is_magic:
                state.advance_by_line(line)
        else:
            plain_lines.append(line)
            state.advance_by_line(line)
    return "\n".join(plain_lines)


class _StatementTracker:
    """Tracks whether the next line begins a statement or continues one."""

    def __init__(self) -> None:
        self._quote = ""
        self._depth = 0
        self._is_continued = False

    @property
    def is_at_statement_start(self) -> bool:
        """Return whether a statement may begin here."""
        return not (self._quote or self._depth or self._is_continued)

    def advance_by_line(self, line: str) -> None:
        """Advance by one line."""
        self._is_continued = line.endswith("\\")
        for match in TOKEN.finditer(line):
            token = match[0]
            if self._quote:
                if token == self._quote:
                    self._quote = ""
            elif token == "#":
                self._is_continued = False
                break
            elif token[0] in "\"'":
                self._quote = token
            elif token in OPEN:
                self._depth += 1
            elif token in CLOSE:
                self._depth = max(0, self._depth - 1)
        if len(self._quote) == 1 and not self._is_continued:
            self._quote = ""  # an unfinished string ends with its line


def _find_first_nonblank_line(lines: list[str], start: int) -> int:
    """Return the index of the first line from ``start`` on that is not blank; the number of lines if all are."""
    return next((number for number in range(start, len(lines)) if lines[number].strip()), len(lines))


def _remove_magic(line: str) -> tuple[str, bool]:
    """Return a line without its magic, and whether the magic reaches to the end of the line."""
    if not SIGN.search(line):
        return line, False
    timing_magic = LINE_WITH_CODE.match(line)
    if timing_magic:
        return timing_magic[1] + timing_magic[2], False
    if MAGIC_LINE.match(line):
        indent = line[: len(line) - len(line.lstrip())]
        return (f"{indent}pass" if indent else ""), True
    assignment = MAGIC_VALUE.match(line)
    return (f"{assignment[1]} None", True) if assignment else (line, False)


def try_parse_cell(source: str) -> ast.Module | None:
    """Parse a cell; None if it is not Python, or too long to be parsed here. See ``parse_bounded_source``."""
    if len(source) > MOST_PARSED:
        return None
    parsed = parse_bounded_source(source)
    return parsed.tree if isinstance(parsed, SyntaxTree) else None
