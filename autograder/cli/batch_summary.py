"""Sum up a batch in a few lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from autograder.batch import BatchSummary
from autograder.batch.output_folder import PAGES
from autograder.course import Assignment
from autograder.grading.graded_submission import GRADED
from autograder.lateness import SubmissionTimes
from autograder.reports.report_text import format_points
from autograder.safe_text import clean_text

MOST_MISCONCEPTIONS = 5
MOST_NAMES = 10


def format_batch_summary(summary: BatchSummary, assignment: Assignment, out: Path, tier: str) -> Iterator[str]:
    """Yield the lines.

    Args:
        summary: the batch's summary.
        assignment: the assignment that was graded.
        out: where the results are.
        tier: how the submissions were isolated.
    """
    speed = (
        f", {summary.newly_graded_count / summary.seconds:.1f} a second"
        if summary.newly_graded_count and summary.seconds
        else ""
    )
    rescored = f", {summary.rescored} scored anew from what was kept" if summary.rescored else ""
    yield (
        f"{format_count(summary.submissions, 'submission')}: {summary.newly_graded_count} graded in "
        f"{summary.seconds:.1f} s{speed}, "
        f"{summary.reused} unchanged{rescored} (isolation: {tier})"
    )
    if summary.graded_count:
        yield (
            f"score: mean {format_points(summary.mean_score)}, median {format_points(summary.median_score)}, "
            f"lowest {format_points(min(summary.scores))}, highest {format_points(max(summary.scores))}, "
            f"of {format_points(assignment.max_score)}"
        )
    odd = {status: count for status, count in sorted(summary.statuses.items()) if status != GRADED}
    if odd:
        yield "could not be graded: " + ", ".join(f"{count} {status}" for status, count in odd.items())
    yield from _lateness(summary, assignment, summary.hand_ins)
    yield from _misconceptions(summary)
    if summary.slowest_submissions:
        yield "slowest: " + ", ".join(
            f"{clean_text(name, 80)} {seconds:.1f} s" for name, seconds in summary.slowest_submissions
        )
    yield from _doubts(summary)
    if summary.by_other_kits:
        they, are = format_count(summary.by_other_kits, "result"), _are(summary.by_other_kits)
        yield (
            f"{they} {are} by an earlier version of the kit "
            f"and {'stays as it is' if are == 'is' else 'stay as they are'}: "
            f"`autograder regrade {assignment.name} --out {quote(str(out))} --dry-run` lists what would change"
        )
    if summary.outdated:
        yield f"{summary.outdated} results are those of an earlier version or another setting"
    yield f"reports in {out / 'reports'}, gradebook in {out / 'gradebook.csv'}"
    if summary.pages:
        yield f"pages for students in {out / PAGES}"


def format_dry_run_summary(summary: BatchSummary, out: Path) -> Iterator[str]:
    """Yield the lines after a run that wrote nothing.

    Args:
        summary: the run's summary.
        out: where the results would have been written.
    """
    yield from _doubts(summary)
    yield (
        f"nothing was written: {out} is as it was (graded for this: {summary.newly_graded_count} in "
        f"{summary.seconds:.1f} s)"
    )


def _doubts(summary: BatchSummary) -> Iterator[str]:
    """Yield what is not as it should be, and what to do about it."""
    if summary.grader_errors:
        yield f"{summary.grader_errors} tests ended in a grader error, and cost nobody a mark: run `autograder check`"
    for done in summary.failures:
        yield f"no report for {clean_text(done.name, 80)}, by no fault of its own: {clean_text(done.failure, 500)}"
    for name in summary.gone[:MOST_NAMES]:
        yield f"{clean_text(name, 80)} is not there any more as it was handed in: its earlier result stays"
    if len(summary.gone) > MOST_NAMES:
        yield f"... and so are {len(summary.gone) - MOST_NAMES} more"
    if summary.provisional:
        yield (
            f"{format_count(summary.provisional, 'result')} {_are(summary.provisional)} provisional: a wall "
            "clock struck "
            "twice; run the same command again when the machine is quieter"
        )


def _lateness(
    summary: BatchSummary, assignment: Assignment, submission_times: SubmissionTimes | None
) -> Iterator[str]:
    if submission_times is None:
        if assignment.due.deadline is not None:
            yield "lateness is not applied: say who handed in what and when with --submission-times FILE.csv"
        return
    if summary.late:
        yield f"late: {format_count(summary.late, 'submission')}"
    if summary.timeless:
        yield "no line in the hand-ins, so never late and always counted: " + _some(
            summary.timeless_names, summary.timeless
        )
    yield from format_unused_extensions(submission_times.find_students_without_submission(assignment.due))


def format_unused_extensions(students: list[str]) -> Iterator[str]:
    """Yield a line on extensions that match no student in the hand-ins: a name may be written in another way."""
    if students:
        yield "an extension, and no line in the hand-ins: " + _some(students[:MOST_NAMES], len(students))


def _misconceptions(summary: BatchSummary) -> Iterator[str]:
    common = [pair for pair in summary.mistakes_by_frequency if pair[1] > 1][:MOST_MISCONCEPTIONS]
    if common:
        yield "most common mistakes:"
    for title, count in common:
        yield f"  {count:4}  {title}"


def _some(names: list[str], count: int) -> str:
    more = f" and {count - len(names)} more" if count > len(names) else ""
    return ", ".join(clean_text(name, 80) for name in names) + more


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def format_count(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 student``, ``2 students``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
