"""Describe a repair as plain data: what has to change, which tests that mends, and how much of it somebody sees."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import groupby
from typing import Literal

from msgspec import Struct, structs

from autograder.course.model import RepairLevel
from autograder.edits import EditKind
from autograder.text import LINE_END, escape_for_display, escape_lines_for_display


class Edit(Struct, frozen=True, kw_only=True):
    """Whole lines of a file, and what takes their place."""

    file: str
    """The name of the file, or of the notebook's cell, as messages have it."""
    line: int
    """The first of the lines, counted from 1 in the text that was handed in, whatever other edits there are."""
    end_line: int
    """The last of them."""
    before: str
    """The lines, without the last line break."""
    after: str
    """What takes their place; empty where they are taken out."""
    kind: Literal[EditKind, ""]
    """Empty where a student may not see it."""
    function: str = ""
    """The function around them, as ``Value.__mul__.backward``; empty outside functions."""
    old: str = ""
    """The piece of ``before`` that changes, as ``self.grad``; empty where something is only added."""
    new: str = ""
    """What takes the place of ``old``, as ``out.grad``; empty where something is only taken out."""
    mends: tuple[str, ...] = ()
    """Ids of the failed tests that the mistake explains to which this edit belongs."""


class Repair(Struct, frozen=True, kw_only=True):
    """The smallest change found after which a submission does what the tests ask for."""

    edits: tuple[Edit, ...] = ()
    """In the order of their lines; none where no repair was found."""
    mends: tuple[str, ...] = ()
    """Ids of the failed tests that pass with the edits; with them, every other test has the outcome that it had."""
    proven: bool = False
    """Whether that was seen when the whole hidden suite graded the changed text."""
    complete: bool = False
    """Whether no failed test within the contract is left."""
    tried: int = 0
    """How many changes were tried."""
    others: tuple[tuple[Edit, ...], ...] = ()
    """Other repairs that are as small and change something else: nothing that was seen tells which one is meant."""
    shown_to: Literal["staff", RepairLevel] = "staff"
    """Who reads it: the staff, or a student of a course that goes so far. What a student may not see is empty."""


NO_REPAIR = Repair()


def redact_repair(repair: Repair, level: RepairLevel) -> Repair | None:
    """Return what a student's report may hold at a level: what lies beyond it is empty; None where it is hidden.

    The text of another method is the reference's, so no student sees it at any level.
    """
    if level == "hidden" or repair.shown_to == "hidden":
        return None
    return structs.replace(
        repair,
        edits=tuple(_redact_edit(edit, level) for edit in repair.edits),
        others=tuple(tuple(_redact_edit(edit, level) for edit in edits) for edits in repair.others),
        shown_to=level,
    )


def _redact_edit(edit: Edit, level: RepairLevel) -> Edit:
    if level == "method":
        return Edit(
            file=edit.file, line=0, end_line=0, before="", after="", kind="", function=edit.function, mends=edit.mends
        )
    if level == "change" and edit.kind != "method":
        return edit
    return structs.replace(edit, after="", old="", new="", kind="" if level == "line" else edit.kind)


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line that stays, goes or comes."""

    sign: Literal[" ", "-", "+"]
    number: int
    """Its number in what was handed in; of a line that comes, 0."""
    text: str
    """Safe to display on one line; tabs are left."""


@dataclass(frozen=True, slots=True)
class EditDiff:
    """One edit, line by line."""

    file: str
    line: int
    lines: tuple[DiffLine, ...]

    def remove_indent(self) -> EditDiff:
        """Return it to be looked at: with blanks for tabs, and without those that all lines begin with."""
        texts = textwrap.dedent("\n".join(line.text.expandtabs(4) for line in self.lines)).split("\n")
        return replace(
            self, lines=tuple(replace(line, text=text) for line, text in zip(self.lines, texts, strict=True))
        )


def split_lines(text: str) -> list[str]:
    """Return the lines of ``before`` or ``after``, without their ends; none where it is empty."""
    return LINE_END.split(text) if text else []


def diff_edit(edit: Edit) -> EditDiff:
    """Return the lines of an edit: what goes stands before what comes in its place."""
    before, after = split_lines(edit.before) or [""], split_lines(edit.after)
    return EditDiff(escape_for_display(edit.file, 200), edit.line, tuple(_iterate_lines(before, after, edit.line)))


def format_unified_diff(edits: Sequence[Edit]) -> str:
    """Return edits as a unified diff without lines around them, in the order of files and lines.

    The text of another method is the reference's and is left out; a line says so.
    """
    told = [edit for edit in edits if edit.kind != "method"]
    lines = [
        f"# {escape_for_display(edit.file, 200)}, lines {edit.line} to {edit.end_line}: another text of this method "
        "makes everything hold; it is the reference's, and is not shown"
        for edit in edits
        if edit.kind == "method"
    ]
    for file, group in groupby(sorted(told, key=lambda edit: (edit.file, edit.line)), lambda edit: edit.file):
        name = escape_for_display(file, 200)
        lines += [f"--- {name}", f"+++ {name}"]
        shift = 0  # of the lines below, by the edits above
        for edit in group:
            diff = diff_edit(edit)
            old_count, new_count = (sum(line.sign != sign for line in diff.lines) for sign in "+-")
            start = edit.line + shift - (new_count == 0)
            lines.append(f"@@ -{edit.line},{old_count} +{start},{new_count} @@")
            lines += [f"{line.sign}{line.text}" for line in diff.lines]
            shift += new_count - old_count
    return "".join(f"{line}\n" for line in lines)


def _iterate_lines(before: list[str], after: list[str], first_number: int) -> Iterator[DiffLine]:
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for operation, start, end, new_start, new_end in matcher.get_opcodes():
        sign: Literal[" ", "-"] = " " if operation == "equal" else "-"
        for place in range(start, end):
            yield DiffLine(sign, first_number + place, escape_lines_for_display(before[place]))
        if operation != "equal":
            for place in range(new_start, new_end):
                yield DiffLine("+", 0, escape_lines_for_display(after[place]))
