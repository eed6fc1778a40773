"""Sum up a batch in a few lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from autograder.batch import BatchSummary
from autograder.batch.output_layout import PAGES_FOLDER
from autograder.course import Assignment
from autograder.english_wording import MOST_NAMES, choose_by_count, format_count
from autograder.grading.graded_submission import GRADED
from autograder.lateness import SubmissionTimes
from autograder.reports.report_wording import format_points
from autograder.safe_text import escape_for_display

MOST_MISCONCEPTIONS = 5


def iterate_batch_summary_lines(
    summary: BatchSummary, assignment: Assignment, output_folder: Path, isolation_tier: str
) -> Iterator[str]:
    """Yield what the terminal shows after a batch, a line each.

    Args:
        summary: the batch's summary.
        assignment: the assignment that was graded.
        output_folder: where the results are.
        isolation_tier: how the submissions were isolated.
    """
    speed = (
        f", {summary.newly_graded_count / summary.seconds:.1f} a second"
        if summary.newly_graded_count and summary.seconds
        else ""
    )
    restored = f", {summary.restored_count} set back to a stored result" if summary.restored_count else ""
    duplicates = f", {summary.duplicate_count} with files graded already" if summary.duplicate_count else ""
    unchanged_count = summary.reused_count - summary.restored_count - summary.duplicate_count
    rescored = f", {summary.rescored_count} scored anew from what was kept" if summary.rescored_count else ""
    yield (
        f"{format_count(summary.submission_count, 'submission')}: {summary.newly_graded_count} graded in "
        f"{summary.seconds:.1f} s{speed}, "
        f"{unchanged_count} unchanged{duplicates}{restored}{rescored} (isolation: {isolation_tier})"
    )
    if summary.report_count:
        yield (
            f"score: mean {format_points(summary.mean_score_or_zero)}, "
            f"median {format_points(summary.median_score_or_zero)}, "
            f"lowest {format_points(min(summary.score_counts))}, highest {format_points(max(summary.score_counts))}, "
            f"of {format_points(assignment.max_score)}"
        )
    ungraded_counts = {status: count for status, count in sorted(summary.status_counts.items()) if status != GRADED}
    if ungraded_counts:
        yield "could not be graded: " + ", ".join(f"{count} {status}" for status, count in ungraded_counts.items())
    yield from _format_lateness_lines(summary, assignment, summary.submission_times)
    yield from _format_misconception_lines(summary)
    if summary.slow_submissions:
        yield "slowest: " + ", ".join(
            f"{escape_for_display(name, 80)} {seconds:.1f} s" for name, seconds in summary.slow_submissions
        )
    yield from _format_warnings(summary)
    if summary.other_kit_count:
        count = summary.other_kit_count
        results, verb = format_count(count, "result"), choose_by_count(count, "is", "are")
        yield (
            f"{results} {verb} by an earlier version of the kit "
            f"and {choose_by_count(count, 'stays as it is', 'stay as they are')}: "
            f"`autograder regrade {assignment.name} --out {quote(str(output_folder))} --dry-run` "
            "lists what would change"
        )
    if summary.outdated_count:
        count = summary.outdated_count
        results, verb = format_count(count, "result"), choose_by_count(count, "is", "are")
        yield f"{results} {verb} by an earlier version or another setting"
    yield f"reports in {output_folder / 'reports'}, gradebook in {output_folder / 'gradebook.csv'}"
    if summary.wrote_student_pages:
        yield f"pages for students in {output_folder / PAGES_FOLDER}"


def iterate_dry_run_summary_lines(summary: BatchSummary, output_folder: Path) -> Iterator[str]:
    """Yield the lines after a run that wrote nothing.

    Args:
        summary: the run's summary.
        output_folder: where the results would have been written.
    """
    yield from _format_warnings(summary)
    yield (
        f"nothing was written: {output_folder} is as it was (graded for this: {summary.newly_graded_count} in "
        f"{summary.seconds:.1f} s)"
    )


def _format_warnings(summary: BatchSummary) -> Iterator[str]:
    """Yield problems of the batch, each with advice."""
    if summary.grader_error_count:
        yield (
            f"{format_count(summary.grader_error_count, 'test')} ended in a grader error and cost no marks: "
            "run `autograder check`"
        )
    for result in summary.failures:
        yield (f"{escape_for_display(result.name, 80)} was not graded: {escape_for_display(result.kit_failure, 500)}")
    if summary.explanation_failures:
        count = len(summary.explanation_failures)
        reason = next(iter(summary.explanation_failures.values()))
        yield (
            f"{format_count(count, 'wrong submission')} could not be explained, and "
            f"{choose_by_count(count, 'has its mark', 'have their marks')}; the next run tries again: "
            f"{escape_for_display(reason, 500)}"
        )
    for name in summary.displaced_results:
        yield (
            f"{escape_for_display(name, 80)} changed since it was graded: its earlier mark no longer counts, so the "
            "gradebook has no row for it, and its files in reports/ are of the earlier version"
        )
    for name in summary.missing_submissions[:MOST_NAMES]:
        yield f"{escape_for_display(name, 80)} no longer exists as it was handed in: its earlier result stays"
    if len(summary.missing_submissions) > MOST_NAMES:
        yield f"... and {len(summary.missing_submissions) - MOST_NAMES} more"
    if summary.provisional_count:
        count = summary.provisional_count
        yield (
            f"{format_count(count, 'result')} {choose_by_count(count, 'is', 'are')} "
            "provisional: a wall-clock limit was hit twice; run the same command again when the machine is quieter"
        )


def _format_lateness_lines(
    summary: BatchSummary, assignment: Assignment, submission_times: SubmissionTimes | None
) -> Iterator[str]:
    if submission_times is None:
        if assignment.deadline_rules.deadline is not None:
            yield "lateness is not applied: say who handed in what and when with --submission-times FILE.csv"
        return
    if summary.late_count:
        yield f"late: {format_count(summary.late_count, 'submission')}"
    if summary.untimed_count:
        yield "no submission time is known, so never late and always counted: " + _abbreviate_names(
            summary.first_untimed_names, summary.untimed_count
        )
    yield from iterate_extension_without_submission_lines(
        submission_times.list_extensions_without_submission(assignment.deadline_rules)
    )


def iterate_extension_without_submission_lines(students_without_submission: list[str]) -> Iterator[str]:
    """Yield a line on extensions that match no student with a submission time, perhaps spelt differently."""
    if students_without_submission:
        yield "an extension, but no submission time: " + _abbreviate_names(
            students_without_submission[:MOST_NAMES], len(students_without_submission)
        )


def _format_misconception_lines(summary: BatchSummary) -> Iterator[str]:
    common_mistakes = [pair for pair in summary.mistakes_by_frequency if pair[1] > 1][:MOST_MISCONCEPTIONS]
    if common_mistakes:
        yield "most common mistakes:"
    for title, count in common_mistakes:
        yield f"  {count:4}  {title}"


def _abbreviate_names(names: list[str], count: int) -> str:
    suffix = f" and {count - len(names)} more" if count > len(names) else ""
    return ", ".join(escape_for_display(name, 80) for name in names) + suffix
