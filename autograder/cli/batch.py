"""``autograder batch``: grade a class."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path

import click

from autograder.batch import BatchLocation, BatchRequest, run_batch
from autograder.cli import batch_progress_events as lines
from autograder.cli.batch_summary_lines import iterate_batch_summary_lines as told_of
from autograder.cli.earlier_roster_and_entries import load_earlier_roster_and_entries
from autograder.cli.executor_options import ExecutorOptions, add_executor_options
from autograder.cli.progress import show_grading_progress
from autograder.cli.roster_options import (
    add_from_option,
    add_roster_option,
    find_submission_times_in_origins,
    read_roster_option,
)
from autograder.cli.roster_options import iterate_submission_owner_notes as told_of_origins
from autograder.cli.shared_options import (
    EXIT_FAILED,
    TierOptions,
    add_tier_options,
    choose_sandbox_warning_if_weak,
    course_option,
    exit_on_fault,
    get_assignment,
    make_console,
    open_course_and_set_file_readers,
    out_option,
    store_option,
)
from autograder.cli.student_identity import (
    SubmissionOwnership,
    replace_members_of_submissions,
    replace_student_names_by_extension_names,
)
from autograder.cli.submission_times import add_submission_times_option, read_submission_times_option
from autograder.faults import CallerFault
from autograder.interruption import raise_interrupt_on_signals
from autograder.platforms.common.class_reader import PLAIN, open_download_or_plain_folder
from autograder.roster.row_claim_disputes import MatchedEntries


@click.command()
@click.argument("assignment")
@click.argument("submissions", type=click.Path(path_type=Path))
@out_option
@store_option
@add_from_option
@add_roster_option
@click.option("--workers", type=click.IntRange(1, 512), help="Processes at once; by default one a processor.")
@add_submission_times_option
@click.option("--json-lines", is_flag=True, help="Print one JSON object for each submission, and nothing else.")
@click.option(
    "--progress-every",
    type=click.FloatRange(0.1, 3600),
    default=10.0,
    metavar="SECONDS",
    help="Seconds between two lines on progress, where there is no terminal; 10 by default.",
)
@add_executor_options
@course_option
@add_tier_options
@exit_on_fault
def command(
    assignment: str,
    submissions: Path,
    out: Path,
    store: str,
    platform: str,
    roster: Path | None,
    workers: int | None,
    submission_times: Path | None,
    json_lines: bool,
    progress_every: float,
    course: Path | None,
    tiers: TierOptions,
    executor: ExecutorOptions,
) -> None:
    """Grade SUBMISSIONS, a platform's download as it is, or a folder or zip with one file or sub-folder a student.

    Writes OUT/reports/<submission>.json, OUT/gradebook.csv and, for the staff, OUT/raw/. What they are made of is
    kept in OUT/results.sqlite: run again, it grades only what is new or changed.
    """
    opened = open_course_and_set_file_readers(course, submissions)
    chosen = get_assignment(opened, assignment)
    if out.resolve().is_relative_to(submissions.resolve()):
        raise CallerFault(
            "lies among the submissions, and one of them could pass for a report",
            where=str(out),
            advice="name another folder with --out",
        )
    open_workers = executor.make_worker_opener(opened, workers, out)
    raise_interrupt_on_signals()
    place = BatchLocation(out, store)
    earlier = load_earlier_roster_and_entries(place, chosen.name)
    named = read_roster_option(roster, submissions)
    listed = named or earlier.roster
    with open_download_or_plain_folder(submissions, platform) as found:
        recognised = listed.match_entries(found.entries) if listed else MatchedEntries(found.entries)
        entries = recognised.entries
        table = find_submission_times_in_origins(entries, chosen.deadline_rules.default_zone)
        of_times: list[str] = []
        if submission_times is not None:
            table = read_submission_times_option(
                submission_times, entries, chosen.deadline_rules.default_zone, submissions, of_times.append
            )
        if table is None and named:  # else it was read with the same roster already
            table = earlier.find_submission_times(entries)
        if table is not None:
            table = replace_members_of_submissions(
                table, (SubmissionOwnership(entry.name, entry.origin) for entry in entries), listed
            )
            table = replace_student_names_by_extension_names(table, listed, chosen.deadline_rules)
        title = found.platform.title if found.platform else ""
        said = [*told_of_origins(entries, title, listed, table), *recognised.disputes, *of_times]
        sandbox = choose_sandbox_warning_if_weak(chosen, tiers)
        if json_lines:
            lines.print_start_event(chosen, len(entries), sandbox.tier)
        shown = (
            nullcontext(lines.print_result_event)
            if json_lines
            else show_grading_progress(len(entries), progress_every)
        )
        with shown as progress:
            request = BatchRequest(chosen, sandbox, place, open_workers, progress)
            summary = run_batch(
                request,
                entries,
                submissions_path=submissions,
                platform_name=found.platform.name if found.platform else PLAIN,
                submission_times=table,
                roster=named.rows if named else None,
            )
    if json_lines:
        lines.print_summary_event(summary, out, said)
    else:
        for line in (*said, *told_of(summary, chosen, out, sandbox.tier)):
            make_console().print(line)
    if summary.failures:
        sys.exit(EXIT_FAILED)
