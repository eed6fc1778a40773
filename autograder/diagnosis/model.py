"""Describe a diagnosis as plain data: the known mistake, the smallest program that shows it, and its replay."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Literal, Self

from msgspec import Struct
from msgspec.structs import replace

from autograder.course.model import REPAIR_LEVELS, RepairLevel
from autograder.diagnosis.readings import Seen
from autograder.repair.model import Repair

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
    right_order: tuple[str, ...] = ()
    """For the kind ``order``: the names that come out of the reference solution, in its own order."""
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


Gradients = dict[str, Seen]
"""The gradient of each node, by its name in the program."""


class BackwardReplayStep(Struct, frozen=True, kw_only=True):
    """One call of a node's ``_backward``, or a change of gradients outside such calls."""

    node: str = ""
    """The node that is called; empty for a change outside such calls, such as the seed of the result."""
    line: int
    """The line of the program that it happens in, counted from 0."""
    grads: Gradients
    """All gradients afterwards."""


class RecordedBackwardRun(Struct, frozen=True, kw_only=True):
    """The gradients before and after each step of ``backward()``, while one engine ran a program."""

    before: Gradients
    """The gradients before the first method is called."""
    steps: tuple[BackwardReplayStep, ...] = ()
    sees_calls: bool = True
    """Whether calls are seen: nodes have a ``_backward``, and every operation is one node. Else a step is a line."""
    cut: bool = False
    """Whether there were more calls than are recorded."""
    error: str = ""
    """The built-in exception that ended the run; empty where it came to its end."""
    error_file: str = ""
    """The student's file, or the cell of the notebook, that raised it; empty where that is not known."""
    error_line: int = 0

    def list_gradients_before_each_step(self) -> list[Gradients]:
        """Return the gradients before each step."""
        return [self.before, *(step.grads for step in self.steps)][: len(self.steps)]


class FirstWrongStep(Struct, frozen=True, kw_only=True):
    """The first step of a student's run that differs from the reference solution's."""

    step: int
    """Which of the student's steps; the number of all steps if they are right and another one is missing."""
    kind: Literal["amount", "early", "again", "missing", "outside"]
    """A call adds another amount; comes while the node's gradient is not complete; comes once more; never comes; or
    gradients are changed outside calls, as the seed is."""
    node: str = ""
    """The node that is called, or never is; empty for a change outside calls."""
    line: int
    """The line of the program in which it happens, or should."""
    gradient: str = ""
    """The node whose gradient gets another amount; empty where that is not the point."""
    sentence: str
    """The same in words."""


class Replay(Struct, frozen=True, kw_only=True):
    """The student's run of the counterexample beside the reference solution's."""

    student: RecordedBackwardRun
    reference: RecordedBackwardRun
    beside: tuple[int, ...]
    """For each of the student's steps, the step of the reference that does the same; -1 for none."""
    missing: tuple[int, ...] = ()
    """Steps of the reference that the student's run lacks."""
    difference: FirstWrongStep | None = None
    """The first step that differs; None where none does."""


Verdict = Literal["none", "named", "unknown"]


class NamedMistake(Struct, frozen=True, kw_only=True):
    """One misconception."""

    id: str
    title: str
    explanation: str
    """What the program does, and not how it is written."""
    hints: tuple[str, ...]
    """A question, and then where to look."""
    origin: str = ""
    """How it usually comes about; empty where that is not known, or not shown."""
    change: str = ""
    """What to change; empty where the program has it already, or where it is not shown."""

    @property
    def whole_explanation(self) -> str:
        """Return what the program does, and how it usually comes about."""
        return f"{self.explanation} {self.origin}".rstrip()

    @property
    def ladder(self) -> tuple[str, ...]:
        """Return the hints, and then what to change."""
        return (*self.hints, *filter(None, [self.change]))

    def limit_to_level(self, level: RepairLevel) -> Self:
        """Return what a student may read where the course shows the change of the program up to this level.

        A hint on where to look belongs to the line, the origin to the kind.
        """
        at = REPAIR_LEVELS.index(level)
        return replace(
            self,
            hints=self.hints if at >= REPAIR_LEVELS.index("line") else self.hints[:1],
            origin=self.origin if at >= REPAIR_LEVELS.index("kind") else "",
            change=self.change if at >= REPAIR_LEVELS.index("change") else "",
        )


class Cause(Struct, frozen=True, kw_only=True):
    """An explanation of some of the failed tests: one misconception, or several that nothing tells apart."""

    misconceptions: tuple[NamedMistake, ...]
    """More than one where nothing that was seen tells them apart."""
    concepts: tuple[str, ...]
    """Where it loses marks."""
    tests: tuple[str, ...]
    """The failed tests that it explains."""


class EvidenceCounts(Struct, frozen=True, kw_only=True):
    """How much supports a cause: the submission does exactly what it does."""

    tests: int
    """Failed tests that the cause explains."""
    programs: int
    """Fresh random programs, each with the same result."""
    failing_programs: int = 0
    """Those of them in which the result was wrong."""


class Diagnosis(Struct, frozen=True, kw_only=True):
    """The idea behind a wrong submission, if its own numbers prove one."""

    verdict: Verdict
    """``none`` where nothing is wrong that the contract asks for."""
    reason: str = ""
    """Why it is unknown; empty otherwise."""
    compared_with: str = ""
    """The state of the misconceptions that it was compared with: 16 hexadecimal digits; empty for none."""
    causes: tuple[Cause, ...] = ()
    """One at most."""
    evidence: EvidenceCounts | None = None
    counterexample: Counterexample | None = None
    """The smallest program found on which it is wrong; None when none was found."""
    replay: Replay | None = None
    """What ``backward()`` does on it, call by call; None where it is not called."""
    repair: Repair | None = None
    """The smallest change that makes it right, without edits where none was found; None where nobody looked."""
    repair_pending: bool = False
    """Whether somebody is going to look: marks come first."""

    @property
    def is_unexplained(self) -> bool:
        """Return whether something is wrong, and nobody has looked for its repair."""
        return self.verdict != "none" and self.repair is None

    def await_repair(self) -> Self:
        """Return the diagnosis with the remark that somebody is going to look, if anything is wrong."""
        return replace(self, repair=None, repair_pending=self.verdict != "none")


NONE = Diagnosis(verdict="none")
NO_DIAGNOSIS = "There is no diagnosis for this assignment."
"""The reason if an assignment has no diagnosis module; a report then says nothing else about mistakes."""
