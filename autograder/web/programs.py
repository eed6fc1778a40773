"""Show the program of a hand-in beside what is decided about it, and write comments about its lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.class_reports.code_similarity import try_read_submission_codes
from autograder.course import Assignment
from autograder.decisions import Decision
from autograder.faults import CallerFault
from autograder.files import temporary_folder
from autograder.reports import ScoreReport
from autograder.text import escape_for_display
from autograder.web.names import StudentDisplayNames
from autograder.web.store.hand_ins import HandIn
from autograder.web.store.server_store import ServerStore
from autograder.web.uploads import ReadingStopped, read_apart

MOST_LINES = 1500
"""Programs with more lines are not shown: whoever has one reads the file."""
LONGEST_LINE = 300
ABOUT_LINE = re.compile(r"Line (?P<line>\d+)(?:, `[^`\n]*`)?: ")
MOST_USED = 15
"""How many comments are offered to be used again."""


@dataclass(frozen=True, slots=True)
class ShownProgram:
    """A program as the staff sees it beside a decision or a question."""

    hand_in: HandIn
    """With the names that its viewer may see."""
    report: ScoreReport | None
    lines: list[str]
    """Empty if it is too long or unreadable."""
    repaired_lines: set[int]
    """The numbers of those that the repair changes."""


def load_shown_program(
    store: ServerStore,
    hand_in: HandIn,
    report: ScoreReport | None,
    assignment: Assignment,
    names: StudentDisplayNames,
) -> ShownProgram:
    """Return what the staff sees of the program of a hand-in."""
    lines = read_program_lines(store, hand_in, assignment)
    return ShownProgram(names.mask_hand_in(hand_in), report, lines, _list_repaired_lines(hand_in, report))


def read_program(store: ServerStore, hand_in: HandIn, assignment: Assignment) -> str | None:
    """Return the program that was handed in, as the grader reads it; None if it cannot be read."""
    return read_programs(store, [hand_in], assignment)[hand_in]


def read_programs(
    store: ServerStore, hand_ins: Sequence[HandIn], assignment: Assignment, at_once: int = 50
) -> dict[HandIn, str | None]:
    """Return the programs of many as ``read_program`` does; a reading process is asked for so many ``at_once``.

    If one of them stops the process, each of its group is read alone, so that no other is lost.
    """
    sources: dict[HandIn, str | None] = {}
    for first in range(0, len(hand_ins), at_once):
        group = hand_ins[first : first + at_once]
        with temporary_folder("program") as folder:
            paths = [folder / f"program{one.id}{Path(one.file_name).suffix}" for one in group]
            for hand_in, path in zip(group, paths, strict=True):
                path.write_bytes(store.hand_ins.load_content(hand_in))
            try:
                sources |= zip(group, read_apart(try_read_submission_codes, paths, assignment), strict=True)
            except ReadingStopped:
                alone = read_programs(store, group, assignment, at_once=1) if len(group) > 1 else {group[0]: None}
                sources |= alone
    return sources


def read_program_lines(store: ServerStore, hand_in: HandIn, assignment: Assignment) -> list[str]:
    """Return the lines of what was handed in, as pages show them; none if it is too long or unreadable."""
    lines = (read_program(store, hand_in, assignment) or "").splitlines()
    if len(lines) > MOST_LINES:
        return []
    return [escape_for_display(line.expandtabs(4).rstrip(), LONGEST_LINE) for line in lines]


def _list_repaired_lines(hand_in: HandIn, report: ScoreReport | None) -> set[int]:
    """Return the numbers of the lines that the repair changes; none for a notebook, whose cells are counted apart."""
    if report is None or report.diagnosis.repair is None or not hand_in.file_name.endswith(".py"):
        return set()
    edits = report.diagnosis.repair.edits
    return {number for edit in edits for number in range(edit.line, edit.end_line + 1)}


def compose_comment(text: str, used_before: str, line: str, program: list[str]) -> str:
    """Return a comment for a student from what a form says: new or used before, about a line or about all.

    Raises:
        CallerFault: the program has no such line.
    """
    text = text.strip() or used_before
    if not line.strip() or not text:
        return text
    if not line.strip().isascii() or not line.strip().isdigit() or not 0 < int(line) <= len(program):
        raise CallerFault(
            f"the program has no line {escape_for_display(line, 20)}",
            advice="write the number that stands before the line, or none",
        )
    code = program[int(line) - 1].strip().replace("`", "'")
    return f"Line {int(line)}, `{code[:60]}`: {text}" if code else f"Line {int(line)}: {text}"


def list_used_comments(decisions: Iterable[Decision]) -> list[str]:
    """Return the last comments on any program of an assignment, without the lines that they were about."""
    comments = [ABOUT_LINE.sub("", one.value, count=1) for one in decisions if one.kind == "comment"]
    return [*dict.fromkeys(reversed(comments))][:MOST_USED]
