"""``autograder regrade``: bring results up to date."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from autograder.batch import BatchLocation, BatchRequest, run_regrade
from autograder.batch.mark_changes import MarkChanges
from autograder.batch.request import Regraded
from autograder.cli.batch import interrupt_on_signal
from autograder.cli.batch_summary import format_batch_summary as told_of
from autograder.cli.batch_summary import format_dry_run_summary
from autograder.cli.executor_options import on_this_machine
from autograder.cli.mark_changes import describe_mark_changes, explain_regrade
from autograder.cli.progress import show_batch_progress
from autograder.cli.shared_options import (
    EXIT_FAILED,
    TierOptions,
    add_tier_options,
    course_option,
    find_assignment,
    handle_errors,
    make_console,
    open_course,
    open_sandbox,
    out_option,
    store_option,
)
from autograder.platforms.common.class_reader import PLAIN, open_class
from autograder.submissions import SubmissionEntry

PROGRESS_SECONDS = 10.0
MOST_MARKS = 10
"""Changed marks of each kind that are listed once they are written."""


@click.command()
@click.argument("assignment")
@out_option
@store_option
@click.option(
    "--submissions", type=click.Path(path_type=Path), help="Where they lie now, if not where they lay then."
)
@click.option(
    "--why",
    is_flag=True,
    help="Say what changed, and why, in each submission in which something did.",
)
@click.option("--dry-run", "dry", is_flag=True, help="List the marks that would change, and write nothing.")
@click.option("--workers", type=click.IntRange(1, 512), help="Processes at once; by default one a processor.")
@course_option
@add_tier_options
@handle_errors
def command(
    assignment: str,
    out: Path,
    store: str,
    submissions: Path | None,
    why: bool,
    dry: bool,
    workers: int | None,
    course: Path | None,
    tiers: TierOptions,
) -> None:
    """Grade again what a change of ASSIGNMENT touches of the class in OUT, and nothing else.

    Changed points are counted anew from what was kept; a changed test is run alone; what an earlier version of the
    kit graded is graded again in full. Earlier results stay: see them with `autograder report --version`. Lists the
    marks that changed, lowered ones first.
    """
    chosen = find_assignment(open_course(course, submissions), assignment)
    place = BatchLocation(out, store)
    open_workers = on_this_machine(workers)
    with place.open_existing_store(dry_run=dry) as kept:
        batch = place.find_class(kept, assignment)
        source = submissions or batch.source
    signal.signal(signal.SIGTERM, interrupt_on_signal)
    marks = MarkChanges()
    with _entries(source, batch.platform or PLAIN, asked=submissions is not None) as entries:
        sandbox = open_sandbox(chosen, tiers)
        with show_batch_progress(len(entries), PROGRESS_SECONDS) as progress:
            noting = _noting(marks, why=why)
            request = BatchRequest(chosen, sandbox, place, open_workers, progress, noting)
            summary = run_regrade(request, entries, dry=dry)
    for line in describe_mark_changes(marks, summary.reused, None if dry else MOST_MARKS):
        make_console().print(line)
    for line in format_dry_run_summary(summary, out) if dry else told_of(summary, chosen, out, sandbox.tier):
        make_console().print(line)
    if summary.failures:
        sys.exit(EXIT_FAILED)


@contextmanager
def _entries(source: Path, platform: str, *, asked: bool) -> Iterator[list[SubmissionEntry]]:
    """Yield the submissions that lie there; none if the place is gone and the caller did not name it."""
    if not asked and not source.exists():
        make_console(stderr=True).print(f"{source} is gone: only what was kept can be counted anew", style="yellow")
        yield []
        return
    with open_class(source, platform) as found:
        yield found.entries


def _noting(marks: MarkChanges, *, why: bool) -> Callable[[Regraded], None]:
    """Return a function that notes the marks of a submission, and says why they changed if that is asked for."""

    def note(one: Regraded) -> None:
        marks.add(one)
        for place, line in enumerate(explain_regrade(one) if why else ()):
            make_console().print(line, style=None if place else "bold")

    return note
