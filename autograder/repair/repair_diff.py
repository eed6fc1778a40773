"""Show what a repair changes line by line: as lines to draw, and as a unified diff."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import groupby
from typing import Literal

from autograder.repair.repair_model import Edit
from autograder.safe_text import LINE_END, escape_for_display, escape_lines_for_display


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
