"""Execute ``autograder batch``, after the workers are forked."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path

from autograder.batch import BatchConfig, BatchLocation, run_batch
from autograder.batch.folder_assignment_check import require_folder_without_other_assignment
from autograder.cli.earlier_batch_inputs import find_earlier_submission_times, load_earlier_roster_and_entries
from autograder.cli.fault_handling import EXIT_FAILED
from autograder.cli.member_name_expansion import SubmissionOwners, expand_student_names
from autograder.cli.options.isolation_tier_options import IsolationTierOptions, choose_sandbox_and_warn_if_weak
from autograder.cli.options.roster_option import read_roster_option
from autograder.cli.options.submission_times_option import (
    find_submission_times_in_origins,
    read_submission_times_option,
)
from autograder.cli.output.batch_json_events import (
    print_explained_event,
    print_result_event,
    print_start_event,
    print_summary_event,
)
from autograder.cli.output.batch_summary_lines import iterate_batch_summary_lines
from autograder.cli.output.console import print_line
from autograder.cli.output.download_notes import iterate_download_notes
from autograder.cli.output.progress import ProgressCallbacks, open_grading_progress_display
from autograder.course import Assignment
from autograder.platforms.common.opened_submissions import PLAIN, open_class_submissions
from autograder.roster.row_claims import RosterMatchResult
from autograder.workers.grading_tasks import WorkersOpener


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
            *iterate_download_notes(entries, title, roster, submission_times),
            *match.disputes,
            *table_notes,
        ]
        sandbox = choose_sandbox_and_warn_if_weak(assignment, tiers)
        if prints_json_lines:
            print_start_event(assignment, len(entries), sandbox.tier)
        display = (
            nullcontext(ProgressCallbacks(print_result_event, print_explained_event))
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
        print_summary_event(summary, output_folder, staff_notes)
    else:
        for line in (
            *staff_notes,
            *iterate_batch_summary_lines(summary, assignment, output_folder, sandbox.tier),
        ):
            print_line(line)
    if summary.failures:
        sys.exit(EXIT_FAILED)
