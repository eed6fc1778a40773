"""``autograder regrade``: bring results up to date."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from autograder.batch import BatchRequest, Place, run_regrade
from autograder.batch.marks import MarkChanges
from autograder.batch.request import Regraded
from autograder.cli.batch import interrupt
from autograder.cli.common import (
    EXIT_FAILED,
    TierWish,
    console,
    course_option,
    find_assignment,
    open_course,
    open_sandbox,
    out_option,
    store_option,
    tier_options,
    told,
)
from autograder.cli.executor import on_this_machine
from autograder.cli.marks import explained, told_of_marks
from autograder.cli.progress import batch_progress
from autograder.cli.summary import told as told_of
from autograder.cli.summary import told_dry
from autograder.platforms.arrange import PLAIN, open_class
from autograder.submissions import Entry

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
@tier_options
@told
def command(
    assignment: str,
    out: Path,
    store: str,
    submissions: Path | None,
    why: bool,
    dry: bool,
    workers: int | None,
    course: Path | None,
    wish: TierWish,
) -> None:
    """Grade again what a change of ASSIGNMENT touches of the class in OUT, and nothing else.

    Changed points are counted anew from what was kept; a changed test is run alone; what an earlier version of the
    kit graded is graded again in full. Earlier results stay: see them with `autograder report --version`. Lists the
    marks that changed, lowered ones first.
    """
    chosen = find_assignment(open_course(course, submissions), assignment)
    place = Place(out, store)
    open_workers = on_this_machine(workers)
    with place.reopened(dry=dry) as kept:
        batch = place.find(kept, assignment)
        source = submissions or batch.source
    signal.signal(signal.SIGTERM, interrupt)
    marks = MarkChanges()
    with _entries(source, batch.platform or PLAIN, asked=submissions is not None) as entries:
        sandbox = open_sandbox(chosen, wish)
        with batch_progress(len(entries), PROGRESS_SECONDS) as progress:
            noting = _noting(marks, why=why)
            request = BatchRequest(chosen, sandbox, place, open_workers, progress, noting)
            summary = run_regrade(request, entries, dry=dry)
    for line in told_of_marks(marks, summary.reused, None if dry else MOST_MARKS):
        console().print(line)
    for line in told_dry(summary, out) if dry else told_of(summary, chosen, out, sandbox.tier):
        console().print(line)
    if summary.failures:
        sys.exit(EXIT_FAILED)


@contextmanager
def _entries(source: Path, platform: str, *, asked: bool) -> Iterator[list[Entry]]:
    """Yield the submissions that lie there; none if the place is gone and the caller did not name it."""
    if not asked and not source.exists():
        console(stderr=True).print(f"{source} is gone: only what was kept can be counted anew", style="yellow")
        yield []
        return
    with open_class(source, platform) as found:
        yield found.entries


def _noting(marks: MarkChanges, *, why: bool) -> Callable[[Regraded], None]:
    """Return a function that notes the marks of a submission, and says why they changed if that is asked for."""

    def note(one: Regraded) -> None:
        marks.add(one)
        for place, line in enumerate(explained(one) if why else ()):
            console().print(line, style=None if place else "bold")

    return note
