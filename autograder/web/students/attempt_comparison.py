"""Compare an attempt with the one before: tests that pass or fail now, and changed lines of the program."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.class_reports.compared_sources import try_read_submission_code
from autograder.course import Assignment
from autograder.reports import ScoreReport
from autograder.reports.report_model import ReportedTest
from autograder.safe_text import escape_for_display
from autograder.store.store import Store
from autograder.store.web.hand_in_model import HandIn
from autograder.temporary_folders import temporary_folder
from autograder.web.reading_processes import ReadingStopped, read_apart

MOST_LINES = 1000
"""Programs with more lines are not compared: nobody reads such a page."""
MOST_STEPS = 500_000
"""Most lines and diagonals that are looked at to match two programs: a thousand lines that were added or removed."""
CONTEXT = 3
LONGEST_LINE = 200


@dataclass(frozen=True, slots=True)
class TestOutcomeChanges:
    """Changes in the outcomes of the tests that both reports show."""

    __test__ = False

    gained: tuple[ReportedTest, ...]
    """Passed now, and not before."""
    lost: tuple[ReportedTest, ...]
    """Passed before, and not now."""
    same: int
    """How many others there are."""


@dataclass(frozen=True, slots=True)
class ProgramDiffLine:
    """A line of the comparison."""

    kind: str
    """``added``, ``removed``, ``place`` (where the next lines are), or empty for a line that both have."""
    text: str


def compare_test_outcomes(report_before: ScoreReport, report_after: ScoreReport) -> TestOutcomeChanges:
    """Return which tests pass now and did not, and which do not any more.

    Args:
        report_before: the earlier report, as far as its reader may see it.
        report_after: the later report.
    """
    earlier = {one.id: one.outcome == "passed" for one in report_before.tests}
    known = [(one, earlier[one.id], one.outcome == "passed") for one in report_after.tests if one.id in earlier]
    gained = tuple(one for one, passed, passes in known if passes and not passed)
    lost = tuple(one for one, passed, passes in known if passed and not passes)
    return TestOutcomeChanges(gained, lost, len(known) - len(gained) - len(lost))


def diff_programs(
    store: Store, before: HandIn, after: HandIn, assignment: Assignment
) -> list[ProgramDiffLine] | None:
    """Return changed lines with context lines; None if a program is too long or cannot be read."""
    with temporary_folder("changes") as folder:
        path_before, path_after = (folder / f"{one.attempt}{Path(one.file_name).suffix}" for one in (before, after))
        path_before.write_bytes(store.hand_ins.load_content(before))
        path_after.write_bytes(store.hand_ins.load_content(after))
        try:
            return read_apart(_compare_files, path_before, path_after, assignment)
        except ReadingStopped:
            return None


def _compare_files(before: Path, after: Path, assignment: Assignment) -> list[ProgramDiffLine] | None:
    programs = [try_read_submission_code(path, assignment) for path in (before, after)]
    lines_before, lines_after = ([] if program is None else program.splitlines() for program in programs)
    if None in programs or max(len(lines_before), len(lines_after)) > MOST_LINES:
        return None
    return [*_describe_difference(lines_before, lines_after)]


def _describe_difference(before: Sequence[str], after: Sequence[str]) -> Iterator[ProgramDiffLine]:
    lines: list[tuple[str, str, int]] = []
    next_before = next_after = 0
    for place_before, place_after in [*match_lines(before, after), (len(before), len(after))]:
        lines += [("removed", f"-{text}", next_after) for text in before[next_before:place_before]]
        lines += [("added", f"+{after[place]}", place) for place in range(next_after, place_after)]
        next_before, next_after = place_before + 1, place_after + 1
        lines += [("", f" {text}", place_after) for text in after[place_after:next_after]]
    changed = [index for index, line in enumerate(lines) if line[0]]
    shown = {index for place in changed for index in range(place - CONTEXT, place + CONTEXT + 1)}
    for index, (kind, text, place) in enumerate(lines):
        if index not in shown:
            continue
        if index == 0 or index - 1 not in shown:
            yield ProgramDiffLine("place", f"… {place + 1}")
        yield ProgramDiffLine(kind, escape_for_display(text.expandtabs(4).rstrip(), LONGEST_LINE))


def match_lines(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return the places of equal lines, in order: as many as there can be, or fewer if ``MOST_STEPS`` do not suffice.

    This is Myers's algorithm ("An O(ND) difference algorithm and its variations", 1986): it follows, for each number
    of edits, how far each diagonal gets. What it has not matched when its steps are used up counts as changed.

    >>> match_lines("abcd", "axcd")
    [(0, 0), (2, 2), (3, 3)]
    """
    start = _count_equal(zip(before, after, strict=False))
    most = min(len(before), len(after)) - start
    end = min(most, _count_equal(zip(reversed(before), reversed(after), strict=False)))
    middle = _match_by_edits(before[start : len(before) - end], after[start : len(after) - end])
    return [
        *((place, place) for place in range(start)),
        *((start + one, start + other) for one, other in middle),
        *((len(before) - end + place, len(after) - end + place) for place in range(end)),
    ]


def _count_equal(pairs: Iterable[tuple[Hashable, Hashable]]) -> int:
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def _match_by_edits(before: Sequence[Hashable], after: Sequence[Hashable]) -> list[tuple[int, int]]:
    reached, history, steps = {1: 0}, [], 0
    for edits in range(len(before) + len(after) + 1):
        history.append(dict(reached))
        steps += len(reached)
        for diagonal in range(-edits, edits + 1, 2):
            is_down = _is_down(reached, edits, diagonal)
            place = reached[diagonal + 1] if is_down else reached[diagonal - 1] + 1
            while place < len(before) and place - diagonal < len(after) and before[place] == after[place - diagonal]:
                place, steps = place + 1, steps + 1
            reached[diagonal] = place
            if place >= len(before) and place - diagonal >= len(after):
                return _walk_back(history, len(before), len(after))
        if steps > MOST_STEPS:
            return []
    return []


def _walk_back(history: Sequence[Mapping[int, int]], place: int, other: int) -> list[tuple[int, int]]:
    """Return the matches on the way that led to the two ends."""
    matches = []
    for edits in range(len(history) - 1, -1, -1):
        before_edit, before_edit_other = _find_end_before_edit(history[edits], edits, place - other)
        while place > before_edit and other > before_edit_other:
            place, other = place - 1, other - 1
            matches.append((place, other))
        place, other = before_edit, before_edit_other
    return matches[::-1]


def _find_end_before_edit(reached: Mapping[int, int], edits: int, diagonal: int) -> tuple[int, int]:
    if edits == 0:
        return 0, 0
    previous = diagonal + 1 if _is_down(reached, edits, diagonal) else diagonal - 1
    return reached[previous], reached[previous] - previous


def _is_down(reached: Mapping[int, int], edits: int, diagonal: int) -> bool:
    """Return whether the last edit to a diagonal takes a line of the second, and not one of the first."""
    return diagonal == -edits or (diagonal != edits and reached[diagonal - 1] < reached[diagonal + 1])
