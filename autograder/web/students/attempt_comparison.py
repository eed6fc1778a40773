"""Compare an attempt with the one before: tests that pass or fail now, and changed lines of the program."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterator
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

MOST_LINES = 1000
"""Programs with more lines are not compared: the time may grow with the cube of their length, to 4 s for 3,000."""
LONGEST_LINE = 200
KIND_BY_PREFIX = {"+": "added", "-": "removed", "@": "place"}


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
        program_before, program_after = (_read(store, one, folder, assignment) for one in (before, after))
    if program_before is None or program_after is None:
        return None
    lines_before, lines_after = program_before.splitlines(), program_after.splitlines()
    if max(len(lines_before), len(lines_after)) > MOST_LINES:
        return None
    return [*_describe_difference(lines_before, lines_after)]


def _read(store: Store, hand_in: HandIn, folder: Path, assignment: Assignment) -> str | None:
    path = folder / f"program{Path(hand_in.file_name).suffix}"
    path.write_bytes(store.hand_ins.load_content(hand_in))
    return try_read_submission_code(path, assignment)


def _describe_difference(before: list[str], after: list[str]) -> Iterator[ProgramDiffLine]:
    without_file_names = itertools.islice(difflib.unified_diff(before, after, lineterm=""), 2, None)
    for line in without_file_names:
        kind = KIND_BY_PREFIX.get(line[0], "")
        shown = f"… {line.split(' ')[2].removeprefix('+').partition(',')[0]}" if kind == "place" else line
        yield ProgramDiffLine(kind, escape_for_display(shown.expandtabs(4).rstrip(), LONGEST_LINE))
