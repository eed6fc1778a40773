"""Execute ``autograder batch``, after the workers are forked."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from autograder.batch import BatchConfig, BatchLocation, run_batch
from autograder.batch.folder_assignment_check import require_folder_without_other_assignment
from autograder.cli.earlier_batch_inputs import load_earlier_batch_inputs
from autograder.cli.fault_handling import EXIT_FAILED
from autograder.cli.member_name_expansion import (
    SubmissionOwners,
    expand_member_names,
    replace_student_names_by_extension_names,
)
from autograder.cli.options.isolation_tier_options import IsolationTierOptions, choose_sandbox_and_warn_if_weak
from autograder.cli.options.roster_option import read_roster_option_or_none
from autograder.cli.options.submission_times_option import (
    find_submission_times_in_origins,
    read_submission_times_option,
)
from autograder.cli.output import batch_json_events
from autograder.cli.output.batch_summary_lines import iterate_batch_summary_lines
from autograder.cli.output.console import print_line
from autograder.cli.output.download_notes import iterate_download_notes
from autograder.cli.output.progress import ProgressCallbacks, open_grading_progress_display
from autograder.course import Assignment
from autograder.platforms.common.opened_submissions import PLAIN, open_class_submissions
from autograder.roster.row_claims import RosterMatchResult
from autograder.workers.grading_tasks import WorkersOpener


@dataclass(frozen=True, slots=True)
class BatchIOOptions:
    """Where a batch reads from and writes to, and how it reports; see ``autograder batch --help``."""

    submissions: Path
    out: Path
    store: str
    platform: str
    roster: Path | None
    submission_times: Path | None
    json_lines: bool
    progress_every: float
    explains: bool
    """Whether repairs are looked for, once all marks are there."""


def grade_class_and_exit_on_failure(
    options: BatchIOOptions,
    assignment: Assignment,
    tiers: IsolationTierOptions,
    open_workers: WorkersOpener,
) -> None:
    """Grade a class, show progress, and exit with 1 if the kit or the machine left a submission without a result.

    Args:
        options: the class.
        assignment: the assignment that it is graded by.
        tiers: the accepted isolation.
        open_workers: opens the workers.

    Raises:
        CallerFault: an option does not fit the class, or the folder holds the results of another assignment.
        CourseFault: the assignment cannot be used.
        KitFault: the machine fails.
    """
    submissions, zone = options.submissions, assignment.deadline_rules.default_zone
    location = BatchLocation(options.out, options.store)
    require_folder_without_other_assignment(location, assignment.name)
    earlier_inputs = load_earlier_batch_inputs(location, assignment.name)
    new_roster = read_roster_option_or_none(options.roster, submissions)
    roster = new_roster or earlier_inputs.roster
    with open_class_submissions(submissions, options.platform) as class_submissions:
        match = (
            roster.match_entries_to_rows(class_submissions.entries)
            if roster
            else RosterMatchResult(class_submissions.entries)
        )
        entries = match.entries
        submission_times = find_submission_times_in_origins(entries, zone)
        table_notes: list[str] = []
        if options.submission_times is not None:
            submission_times = read_submission_times_option(
                options.submission_times, entries, zone, submissions, table_notes.append
            )
        if submission_times is None and new_roster:  # otherwise it was read with this roster already
            submission_times = earlier_inputs.find_earlier_submission_times(entries)
        if submission_times is not None:
            submission_times = expand_member_names(
                submission_times, (SubmissionOwners(entry.name, entry.origin) for entry in entries), roster
            )
            submission_times = replace_student_names_by_extension_names(
                submission_times, roster, assignment.deadline_rules
            )
        title = class_submissions.platform.title if class_submissions.platform else ""
        staff_notes = [
            *iterate_download_notes(entries, title, roster, submission_times),
            *match.disputes,
            *table_notes,
        ]
        sandbox = choose_sandbox_and_warn_if_weak(assignment, tiers)
        if options.json_lines:
            batch_json_events.print_start_event(assignment, len(entries), sandbox.tier)
        display = (
            nullcontext(
                ProgressCallbacks(batch_json_events.print_result_event, batch_json_events.print_explained_event)
            )
            if options.json_lines
            else open_grading_progress_display(len(entries), options.progress_every)
        )
        with display as shown:
            config = BatchConfig(
                assignment,
                sandbox,
                location,
                open_workers,
                shown.show_result,
                explains=options.explains,
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
    if options.json_lines:
        batch_json_events.print_summary_event(summary, options.out, staff_notes)
    else:
        for line in (*staff_notes, *iterate_batch_summary_lines(summary, assignment, options.out, sandbox.tier)):
            print_line(line)
    if summary.failures:
        sys.exit(EXIT_FAILED)
