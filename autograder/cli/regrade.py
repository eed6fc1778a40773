"""``autograder regrade``: bring results up to date."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from autograder.batch import BatchLocation, BatchRequest, run_regrade
from autograder.batch.mark_changes import MarkChanges
from autograder.cli.batch import interrupt_on_signal
from autograder.cli.batch_summary import format_batch_summary as told_of
from autograder.cli.batch_summary import format_dry_run_summary
from autograder.cli.decision_targets import ClassTargets
from autograder.cli.executor_options import on_this_machine
from autograder.cli.mark_changes import describe_mark_changes
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
from autograder.safe_text import clean_name
from autograder.store.class_members import ClassMember
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
    "--student",
    "students",
    multiple=True,
    metavar="ID",
    help="Regrade this submission or student alone, any number; the others keep their results.",
)
@click.option("--explain", is_flag=True, help="Say by which concepts and tests each changed mark changed.")
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
    students: tuple[str, ...],
    explain: bool,
    dry: bool,
    workers: int | None,
    course: Path | None,
    tiers: TierOptions,
) -> None:
    """Grade again what a change of ASSIGNMENT touches of the class in OUT, and nothing else.

    Changed points are counted anew from what was kept; a changed test is run alone; what an earlier version of the
    kit graded is graded again in full. Earlier results stay: see them with `autograder report --version`. Lists the
    final marks that changed, lowered ones first.
    """
    chosen = find_assignment(open_course(course, submissions), assignment)
    place = BatchLocation(out, store)
    open_workers = on_this_machine(workers)
    with place.open_existing_store(dry_run=dry) as kept:
        batch = place.find_class(kept, assignment)
        source = submissions or batch.source
        only = _find_submissions(kept.classes.iterate_members(batch), students) if students else None
    signal.signal(signal.SIGTERM, interrupt_on_signal)
    marks = MarkChanges()
    with _entries(source, batch.platform or PLAIN, asked=submissions is not None) as entries:
        sandbox = open_sandbox(chosen, tiers)
        with show_batch_progress(len(entries if only is None else only), PROGRESS_SECONDS) as progress:
            request = BatchRequest(chosen, sandbox, place, open_workers, progress, marks.add)
            summary = run_regrade(request, entries, dry=dry, only=only)
    most = None if dry or explain else MOST_MARKS
    for line in describe_mark_changes(marks, summary.reused, most, explain=explain):
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


def _find_submissions(members: Iterable[ClassMember], names: Iterable[str]) -> frozenset[str]:
    """Return the names of the submissions that are called so, or are by a student who is.

    Raises:
        CallerFault: one of the names is nobody's.
    """
    known = [*members]
    targets = ClassTargets(known)
    wanted = {one for name in names for one in targets.list_submissions_of(name)}
    return frozenset(member.name for member in known if clean_name(member.name) in wanted)
