"""Compare an attempt with the one before: tests that pass or fail now, and changed lines of the program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
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
"""Programs with more lines are not compared: nobody reads such a page, and difflib would take seconds."""
CONTEXT = 3
LONGEST_LINE = 200


def compare_test_outcomes(
    before: ScoreReport, after: ScoreReport
) -> tuple[list[ReportedTest], list[ReportedTest], int]:
    """Return which tests pass now and did not, which do not any more, and how many others both reports show.

    Args:
        before: the earlier report, as far as its reader may see it.
        after: the later report.
    """
    passed_before = {test.id: test.outcome == "passed" for test in before.tests}
    tests = [test for test in after.tests if test.id in passed_before]
    gained = [test for test in tests if test.outcome == "passed" and not passed_before[test.id]]
    lost = [test for test in tests if test.outcome != "passed" and passed_before[test.id]]
    return gained, lost, len(tests) - len(gained) - len(lost)


def diff_programs(
    store: Store, before: HandIn, after: HandIn, assignment: Assignment
) -> list[tuple[str, str]] | None:
    """Return changed lines with context lines, each with its kind; None if a program is too long or unreadable.

    A kind is ``added``, ``removed``, ``place`` (where the next lines are), or empty for a line that both have.
    """
    with temporary_folder("changes") as folder:
        path_before, path_after = (folder / f"{one.attempt}{Path(one.file_name).suffix}" for one in (before, after))
        path_before.write_bytes(store.hand_ins.load_content(before))
        path_after.write_bytes(store.hand_ins.load_content(after))
        try:
            return read_apart(_compare_files, path_before, path_after, assignment)
        except ReadingStopped:
            return None


def _compare_files(before: Path, after: Path, assignment: Assignment) -> list[tuple[str, str]] | None:
    programs = [try_read_submission_code(path, assignment) for path in (before, after)]
    lines_before, lines_after = ([] if program is None else program.splitlines() for program in programs)
    if None in programs or max(len(lines_before), len(lines_after)) > MOST_LINES:
        return None
    return [
        (kind, escape_for_display(text.expandtabs(4).rstrip(), LONGEST_LINE))
        for kind, text in _iterate_changes(lines_before, lines_after)
    ]


def _iterate_changes(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, str]]:
    for group in SequenceMatcher(None, before, after).get_grouped_opcodes(CONTEXT):
        yield "place", f"… {group[0][3] + 1}"
        for tag, start_before, end_before, start_after, end_after in group:
            if tag == "equal":
                yield from (("", f" {text}") for text in after[start_after:end_after])
                continue
            yield from (("removed", f"-{text}") for text in before[start_before:end_before])
            yield from (("added", f"+{text}") for text in after[start_after:end_after])
