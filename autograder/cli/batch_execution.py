"""Execute ``autograder batch`` after the workers are forked, and sum it up for people and programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from shlex import quote
from typing import Any

import click

from autograder.batch import BatchConfig, BatchLocation, BatchSummary, run_batch
from autograder.batch.batch_location import PAGES_FOLDER, require_folder_without_other_assignment
from autograder.batch.class_explanations import Explained
from autograder.cli.class_inputs import (
    find_submission_times_in_origins,
    read_roster_option,
    read_submission_times_option,
)
from autograder.cli.options import IsolationTierOptions
from autograder.cli.progress import ProgressCallbacks, open_grading_progress_display
from autograder.cli.students import (
    SubmissionOwners,
    expand_student_names,
    find_earlier_submission_times,
    load_earlier_roster_and_entries,
)
from autograder.cli.terminal import EXIT_FAILED, print_line
from autograder.course import Assignment
from autograder.grading.graded_submission import GRADED
from autograder.kit_version import get_kit_version_with_code_digest
from autograder.lateness import SubmissionTimes
from autograder.platforms.common.opened_submissions import PLAIN, open_class_submissions
from autograder.reports.wording import format_points
from autograder.roster.roster import Roster, RosterMatchResult
from autograder.submissions import SubmissionEntry
from autograder.text import (
    MOST_NAMES,
    choose_by_count,
    escape_for_display,
    escape_name_unambiguously,
    format_abbreviated_list,
    format_count,
)
from autograder.workers.grading_tasks import GradingTaskResult, WorkersOpener


def _iterate_download_notes(
    entries: list[SubmissionEntry],
    platform_title: str,
    roster: Roster | None,
    submission_times: SubmissionTimes | None,
) -> Iterator[str]:
    """Yield notes for the staff about unmatched submissions and students, so that none is left out silently."""
    if platform_title:
        yield f"downloaded from {platform_title}: {format_count(len(entries), 'submission')}"
    late = [
        entry.name
        for entry in entries
        if entry.origin
        and entry.origin.marked_late
        and not (submission_times and submission_times.find_submission_time(escape_name_unambiguously(entry.name)))
    ]
    if late:
        yield (
            f"marked late by {platform_title}; no submission time known, so no penalty applied "
            f"(give times with --submission-times): {format_abbreviated_list(late)}"
        )
    if roster:
        strangers = [entry.name for entry in entries if not (entry.origin and entry.origin.roster)]
        if strangers:
            yield f"not on the roster, graded all the same: {format_abbreviated_list(strangers)}"
        absent = roster.list_students_without_entry(entries)
        if absent:
            yield f"on the roster, without a submission: {format_abbreviated_list(absent)}"


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


def _print_start_event(assignment: Assignment, submission_count: int, isolation_tier: str) -> None:
    """Print the start event: what is about to be graded."""
    _print_event(
        "start",
        kit_version=get_kit_version_with_code_digest(),
        assignment=assignment.name,
        assignment_version=assignment.version,
        submissions=submission_count,
        max_score=assignment.max_score,
        isolation=isolation_tier,
    )


def _print_result_event(result: GradingTaskResult) -> None:
    """Print the result of one submission; if the kit failed, there is no score."""
    has_failed = bool(result.kit_failure)
    _print_event(
        "done",
        submission=escape_name_unambiguously(result.name),
        status=None if has_failed else result.status,
        score=None if has_failed else result.score,
        seconds=round(result.seconds, 3),
        reused=result.was_reused,
        provisional=result.is_provisional,
        failure=escape_for_display(result.kit_failure, 500),
    )


def _print_explained_event(explained: Explained) -> None:
    """Print that the repair of one submission was looked for, once all marks are written."""
    _print_event(
        "explained",
        submission=escape_name_unambiguously(explained.submission),
        edits=explained.edit_count,
        explained=explained.done,
        wrong=explained.total,
        failure=escape_for_display(explained.failure, 500),
    )


def _print_summary_event(summary: BatchSummary, output_folder: Path, staff_notes: Sequence[str] = ()) -> None:
    """Print the summary of all submissions.

    Args:
        summary: of the batch.
        output_folder: where the results are.
        staff_notes: notes about the owners of the submissions.
    """
    spread = sorted(summary.score_counts)
    _print_event(
        "end",
        submissions=summary.submission_count,
        graded=summary.newly_graded_count,
        rescored=summary.rescored_count,
        reused=summary.reused_count,
        failed=len(summary.failures),
        displaced=[escape_name_unambiguously(name) for name in summary.displaced_results],
        seconds=round(summary.seconds, 3),
        statuses=dict(sorted(summary.status_counts.items())),
        score={
            "mean": round(summary.mean_score_or_zero, 4),
            "median": summary.median_score_or_zero,
            "lowest": spread[0],
            "highest": spread[-1],
        }
        if spread
        else None,
        late=summary.late_count,
        without_hand_in=summary.untimed_count,
        misconceptions=[{"title": title, "submissions": n} for title, n in summary.mistakes_by_frequency],
        slowest=[
            {"submission": escape_name_unambiguously(name), "seconds": round(s, 3)}
            for name, s in summary.slow_submissions
        ],
        grader_errors=summary.grader_error_count,
        provisional=summary.provisional_count,
        by_earlier_kit=summary.other_kit_count,
        reports=str(output_folder / "reports"),
        gradebook=str(output_folder / "gradebook.csv"),
        pages=str(output_folder / PAGES_FOLDER) if summary.wrote_student_pages else None,
        notes=[*staff_notes],
    )


def _print_event(event: str, **fields: Any) -> None:
    click.echo(json.dumps({"event": event, **fields}))


def grade_class(  # noqa: PLR0913 - the options of `autograder batch`
    assignment: Assignment,
    submissions: Path,
    tiers: IsolationTierOptions,
    open_workers: WorkersOpener,
    *,
    output_folder: Path,
    store_url: str,
    platform_name: str,
    roster_path: Path | None,
    submission_times_path: Path | None,
    prints_json_lines: bool,
    progress_seconds: float,
    explains: bool,
) -> None:
    """Grade a class, show progress, and exit with 1 if the kit or the machine left a submission without a result.

    Args:
        assignment: the assignment that it is graded by.
        submissions: the class, as a folder or a zip.
        tiers: the accepted isolation.
        open_workers: opens the workers.
        output_folder: where reports and gradebook go.
        store_url: the database of the results; a file in the output folder when empty.
        platform_name: where the submissions were downloaded; it is found out when empty.
        roster_path: the list of students; the one of an earlier run when None.
        submission_times_path: the table of submission times; what an earlier run knew when None.
        prints_json_lines: whether programs read the output.
        progress_seconds: seconds between two lines on progress, where there is no terminal.
        explains: whether repairs are looked for, once all marks are there.

    Raises:
        CallerFault: an option does not fit the class, or the folder holds the results of another assignment.
        CourseFault: the assignment cannot be used.
        KitFault: the machine fails.
    """
    location, zone = BatchLocation(output_folder, store_url), assignment.deadline_rules.default_zone
    require_folder_without_other_assignment(location, assignment.name)
    earlier_roster, earlier_entries = load_earlier_roster_and_entries(location, assignment.name)
    new_roster = read_roster_option(roster_path, submissions) if roster_path else None
    roster = new_roster or earlier_roster
    with open_class_submissions(submissions, platform_name) as class_submissions:
        match = (
            roster.match_entries_to_rows(class_submissions.entries)
            if roster
            else RosterMatchResult(class_submissions.entries)
        )
        entries = match.entries
        submission_times = find_submission_times_in_origins(entries, zone)
        table_notes: list[str] = []
        if submission_times_path is not None:
            submission_times = read_submission_times_option(
                submission_times_path, entries, zone, submissions, table_notes.append
            )
        if submission_times is None and new_roster:  # otherwise it was read with this roster already
            submission_times = find_earlier_submission_times(earlier_entries, entries)
        if submission_times is not None:
            owners = (SubmissionOwners(entry.name, entry.origin) for entry in entries)
            submission_times = expand_student_names(submission_times, owners, roster, assignment.deadline_rules)
        title = class_submissions.platform.title if class_submissions.platform else ""
        staff_notes = [
            *_iterate_download_notes(entries, title, roster, submission_times),
            *match.disputes,
            *table_notes,
        ]
        sandbox = tiers.choose_sandbox(assignment)
        if prints_json_lines:
            _print_start_event(assignment, len(entries), sandbox.tier)
        display = (
            nullcontext(ProgressCallbacks(_print_result_event, _print_explained_event))
            if prints_json_lines
            else open_grading_progress_display(len(entries), progress_seconds)
        )
        with display as shown:
            config = BatchConfig(
                assignment,
                sandbox,
                location,
                open_workers,
                shown.show_result,
                explains=explains,
                on_explained=shown.show_explained,
            )
            summary = run_batch(
                config,
                entries,
                submissions_path=submissions,
                platform_name=class_submissions.platform.name if class_submissions.platform else PLAIN,
                submission_times=submission_times,
                roster=new_roster.rows if new_roster else None,
            )
    if prints_json_lines:
        _print_summary_event(summary, output_folder, staff_notes)
    else:
        for line in (*staff_notes, *iterate_batch_summary_lines(summary, assignment, output_folder, sandbox.tier)):
            print_line(line)
    if summary.failures:
        sys.exit(EXIT_FAILED)
