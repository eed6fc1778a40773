"""``autograder regrade``: bring results up to date."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from autograder.batch import BatchConfig, BatchLocation, run_regrade
from autograder.batch.mark_changes import (
    ClassMarkComparison,
    SubmissionMarkComparison,
    format_mark_change_line,
    iterate_mark_change_reasons,
)
from autograder.cli.batch import prefork_local_workers
from autograder.cli.batch_execution import iterate_batch_summary_lines, iterate_dry_run_summary_lines
from autograder.cli.options import (
    CourseOption,
    IsolationTierOptions,
    add_isolation_tier_options,
    course_option,
    out_option,
    store_option,
)
from autograder.cli.progress import open_grading_progress_display
from autograder.cli.students import SubmissionLookup
from autograder.cli.terminal import EXIT_FAILED, print_line
from autograder.platforms.common.opened_submissions import PLAIN, open_class_submissions
from autograder.store.results.graded_class_table import StoredSubmissionEntry
from autograder.submissions import SubmissionEntry
from autograder.text import choose_by_count, escape_name_unambiguously, format_count


def iterate_mark_change_lines(
    mark_changes: ClassMarkComparison,
    marks_not_regraded_count: int,
    max_marks_per_direction: int | None = None,
    *,
    with_reasons: bool = False,
) -> Iterator[str]:
    """Yield the marks that change, lowered ones first.

    Args:
        mark_changes: the marks of the submissions that were graded again.
        marks_not_regraded_count: how many others have a mark.
        max_marks_per_direction: how many of each kind are listed; all of them when None.
        with_reasons: whether to say of each by which concepts and tests it changed.
    """
    yield from _format_changes(
        "go down", "goes down", mark_changes.lowered, max_marks_per_direction, explain=with_reasons
    )
    yield from _format_changes("go up", "goes up", mark_changes.raised, max_marks_per_direction, explain=with_reasons)
    unchanged_count = mark_changes.unchanged_count + marks_not_regraded_count
    verb_phrase = choose_by_count(unchanged_count, "stays as it is", "stay as they are")
    yield f"{format_count(unchanged_count, 'mark')} {verb_phrase}"


def _format_changes(
    plural: str, singular: str, changes: Sequence[SubmissionMarkComparison], max_count: int | None, *, explain: bool
) -> Iterator[str]:
    if not changes:
        return
    yield f"{format_count(len(changes), 'mark')} {choose_by_count(len(changes), singular, plural)}:"
    shown_changes = changes[:max_count]
    for change in shown_changes:
        yield f"  {format_mark_change_line(change)}"
        if explain:
            yield from (f"    {line}" for line in iterate_mark_change_reasons(change))
    if len(changes) > len(shown_changes):
        yield f"  ... and {len(changes) - len(shown_changes)} more"


PROGRESS_SECONDS = 10.0
MOST_MARKS = 10
"""How many changed marks of each kind are listed after they are written."""


@click.command()
@click.argument("assignment")
@out_option
@store_option
@click.option(
    "--submissions", type=click.Path(path_type=Path), help="Where the submissions are now, if they have moved."
)
@click.option(
    "--student",
    "students",
    multiple=True,
    metavar="ID",
    help="Regrade this submission or student alone, any number; the others keep their results.",
)
@click.option("--explain", is_flag=True, help="Say by which concepts and tests each changed mark changed.")
@click.option("--dry-run", is_flag=True, help="List the marks that would change, and write nothing.")
@click.option("--workers", type=click.IntRange(1, 512), help="Processes at once; by default one per processor.")
@course_option
@add_isolation_tier_options
def command(  # noqa: PLR0913 - a parameter for each option
    assignment: str,
    out: Path,
    store: str,
    submissions: Path | None,
    students: tuple[str, ...],
    explain: bool,
    dry_run: bool,
    workers: int | None,
    course: CourseOption,
    tiers: IsolationTierOptions,
) -> None:
    """Grade again what a change of ASSIGNMENT touches of the class in OUT, and nothing else.

    Changed points are counted anew from what was kept; a changed test is run alone; what an earlier version of the
    kit graded is graded again in full. Earlier results stay: see them with `autograder report --version`. Lists the
    final marks that changed, lowered ones first.
    """
    location = BatchLocation(out, store)
    course.load_assignment(assignment, submissions)
    open_workers = prefork_local_workers(workers)
    chosen_assignment = course.load_assignment(assignment, submissions, location)
    with location.open_existing_store(dry_run=dry_run) as opened_store:
        batch = location.get_stored_class(opened_store, assignment)
        source = submissions or batch.submissions_path
        stored_entries = [*opened_store.classes.iterate_entries(batch)]
        only_names = _get_submission_names(stored_entries, students) if students else None
    marks = ClassMarkComparison()
    with _open_entries(source, batch.platform_name or PLAIN, is_given=submissions is not None) as entries:
        sandbox = tiers.choose_sandbox(chosen_assignment)
        with open_grading_progress_display(
            len(stored_entries if only_names is None else only_names), PROGRESS_SECONDS
        ) as shown:
            config = BatchConfig(
                chosen_assignment,
                sandbox,
                location,
                open_workers,
                shown.show_result,
                marks.add_regraded_submission,
                explains=True,
                on_explained=shown.show_explained,
            )
            summary = run_regrade(config, entries, dry_run=dry_run, only_submissions=only_names)
    max_marks = None if dry_run or explain else MOST_MARKS
    for line in iterate_mark_change_lines(
        marks, summary.reused_count - summary.compared_reused_count, max_marks, with_reasons=explain
    ):
        print_line(line)
    for line in (
        iterate_dry_run_summary_lines(summary, out)
        if dry_run
        else iterate_batch_summary_lines(summary, chosen_assignment, out, sandbox.tier)
    ):
        print_line(line)
    if summary.failures:
        sys.exit(EXIT_FAILED)


@contextmanager
def _open_entries(source: Path, platform: str, *, is_given: bool) -> Iterator[list[SubmissionEntry]]:
    """Yield the submissions at a path; none if the path is gone and was not given by the caller."""
    if not is_given and not source.exists():
        print_line(f"{source} no longer exists: only stored results can be rescored", style="yellow", to_stderr=True)
        yield []
        return
    with open_class_submissions(source, platform) as class_submissions:
        yield class_submissions.entries


def _get_submission_names(entries: Sequence[StoredSubmissionEntry], names: Iterable[str]) -> frozenset[str]:
    """Return the names of submissions by submission name or student name.

    Raises:
        CallerFault: one of the names matches no submission and no student.
    """
    lookup = SubmissionLookup(entries)
    ids = {id_ for name in names for id_ in lookup.get_submission_ids_of(name)}
    return frozenset(entry.name for entry in entries if escape_name_unambiguously(entry.name) in ids)
