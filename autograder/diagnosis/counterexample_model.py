"""Describe a counterexample as plain data, and as lines of text that a student can follow by hand."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from msgspec import Struct

from autograder.diagnosis.program_readings import Seen

MARK = "   <-- "
FEWEST_DIGITS, MOST_DIGITS = 6, 17
LONGEST_READING = 60
SHOWN_BEFORE = 12
"""Characters that are shown before the first difference of two long readings, at least."""


class Node(Struct, frozen=True, kw_only=True):
    """One node of the graph, with what it should hold and what it held."""

    name: str
    operation: str = ""
    """As it is written: ``a + b``; empty for a leaf."""
    operands: tuple[str, ...] = ()
    """Their names, in the order of the operation; the same one twice for ``a + a``."""
    data: float | None = None
    """The right number; None where a node has none (a graph for sorting)."""
    data_got: Seen = None
    """A number, or a text for what is none; None where nothing could be read."""
    grad: tuple[float, ...] = ()
    """The right gradients, one for each accepted convention that differs; empty where it is left open."""
    grad_got: Seen = None
    data_wrong: bool = False
    grad_wrong: bool = False


class Counterexample(Struct, frozen=True, kw_only=True):
    """A small program on which a submission is wrong."""

    kind: str
    """``forward`` or ``gradient`` (of a node), ``order`` (of a sort), ``value`` (of an expression), or ``error``."""
    program: tuple[str, ...]
    """Its lines, as a student writes them."""
    leaves: dict[str, float] = {}
    nodes: tuple[Node, ...] = ()
    """In the order in which they are made."""
    first_wrong: str = ""
    """The node at which it goes wrong: the first in the order in which numbers are made or gradients passed on."""
    error: str = ""
    """For the kind ``error``: the built-in exception, or ``stopped``."""
    error_line: int = -1
    """Which line of the program raised; -1 when none did."""
    order: tuple[str, ...] = ()
    """For the kind ``order``: the names that came out."""
    remark: str = ""
    """A sentence on what the wrong number is made of, or on what is wrong with the order; may be empty."""
    text: str = ""
    """All of it, in lines for a terminal."""


def format_number(value: Seen, *others: Seen) -> str:
    """Format a number with as few digits as it takes, but six, to look unlike the others from which it differs.

    >>> format_number(22.0), format_number(1 / 3), format_number(0.12345678, 0.12345699)
    ('22.0', '0.333333', '0.1234568')
    >>> format_number(0.1 + 0.2, 0.3)
    '0.30000000000000004'
    """
    if not isinstance(value, float) or not math.isfinite(value):
        return str(value)
    unlike = [other for other in others if isinstance(other, int | float) and other != value]
    digits = next(
        n for n in (*range(FEWEST_DIGITS, MOST_DIGITS), None)
        if n is None or all(f"{value:.{n}g}" != f"{other:.{n}g}" for other in unlike)
    )  # fmt: skip
    short = repr(value) if digits is None else f"{value:.{digits}g}"
    return short if set(short) & set(".e") else f"{short}.0"


def format_reading_pair(expected: Sequence[Seen], got: Sequence[Seen]) -> tuple[str, str]:
    """Format two readings, each given by its parts, so that they look alike only if they are equal.

    A long one is cut, but never before the first difference.

    >>> format_reading_pair(["[", 1.0, ", ", 2.0, "]"], ["[", 1.0, ", ", 2.0000001, "]"])
    ('[1.0, 2.0]', '[1.0, 2.0000001]')
    """
    pairs = itertools.zip_longest(expected, got)
    texts = [(format_number(one, other), format_number(other, one)) for one, other in pairs]
    right, wrong = ("".join(pair[side] for pair in texts[: len(parts)]) for side, parts in enumerate((expected, got)))
    length = min(len(right), len(wrong))
    shared = next((at for at in range(length) if right[at] != wrong[at]), length)
    start = 0 if right == wrong or shared <= LONGEST_READING // 2 else right.rfind(" ", 0, shared - SHOWN_BEFORE) + 1
    return _cut(right, start), _cut(wrong, start)


def _cut(text: str, start: int) -> str:
    """Return at most ``LONGEST_READING`` characters of a text, from ``start`` on, with dots where something lacks."""
    rest = f"... {text[start:]}" if start else text
    return rest if len(rest) <= LONGEST_READING else f"{rest[: LONGEST_READING - 3]}..."


def format_alternatives(right_numbers: Sequence[float], distinct_from: Seen = None) -> str:
    """Format the right numbers as text: ``22.0``, or ``81.0 or 44.0``.

    >>> format_alternatives([81.0, 44.0])
    '81.0 or 44.0'
    """
    return " or ".join(format_number(one, distinct_from) for one in right_numbers)


def mark_program_line(program: Sequence[str], marked_line_index: int = -1, remark: str = "") -> list[str]:
    """Return the program's lines, one of them marked with an arrow and the remark; none is marked for index -1."""
    width = max(map(len, program), default=0)
    return [f"{line:<{width}}{MARK}{remark}" if at == marked_line_index else line for at, line in enumerate(program)]


def format_reading_table(rows: Sequence[tuple[str, str, str, bool]]) -> list[str]:
    r"""Return a table with the columns name, expected and got, as aligned lines.

    Wrong rows are marked with an arrow, the first of them also with words.

    Args:
        rows: for each reading its name, what was expected, what came instead, and whether that is wrong.

    >>> print("\n".join(format_reading_table([("a", "22.0", "22.0", False), ("b", "17.0", "5.0", True)])))
       expected   got
    a      22.0  22.0
    b      17.0   5.0   <-- it goes wrong here
    """
    heads = ("", "expected", "got")
    names, right, got = ([heads[at], *(str(row[at]) for row in rows)] for at in range(3))
    widths = [max(len(cell) for cell in column) for column in (names, right, got)]
    marks, first = [""], True
    for row in rows:
        marks.append((MARK + ("it goes wrong here" if first else "")).rstrip() if row[3] else "")
        first = first and not row[3]
    return [
        f"{n:<{widths[0]}}  {r:>{widths[1]}}  {g:>{widths[2]}}{mark}".rstrip()
        for n, r, g, mark in zip(names, right, got, marks, strict=True)
    ]
