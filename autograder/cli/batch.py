"""``autograder batch``: a class."""

from __future__ import annotations

import itertools
import signal
import sys
from pathlib import Path
from types import FrameType

import click

from autograder.batch import BatchSummary, run_batch
from autograder.batch.work import Done
from autograder.cli.common import (
    EXIT_FAILED,
    TierWish,
    console,
    course_option,
    find_assignment,
    open_course,
    open_sandbox,
    tier_options,
    told,
)
from autograder.cli.executor import ExecutorWish, executor_options
from autograder.cli.progress import bar
from autograder.faults import CallerFault
from autograder.grading.grader import GRADED
from autograder.reports.terminal import number
from autograder.submissions import open_entries
from autograder.text import clean


@click.command()
@click.argument("assignment")
@click.argument("submissions", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder for reports and gradebook.")
@click.option("--workers", type=click.IntRange(1, 512), help="Processes at once; by default one a processor.")
@executor_options
@course_option
@tier_options
@told
def command(
    assignment: str,
    submissions: Path,
    out: Path,
    workers: int | None,
    course: Path | None,
    wish: TierWish,
    executor: ExecutorWish,
) -> None:
    """Grade SUBMISSIONS, a folder or zip with one file or sub-folder a student.

    Writes OUT/reports/<submission>.json, OUT/gradebook.csv and, for the staff, OUT/raw/. Run again, it grades only
    what is new or changed.
    """
    opened = open_course(course, submissions)
    chosen = find_assignment(opened, assignment)
    if out.resolve().is_relative_to(submissions.resolve()):
        raise CallerFault(
            "lies among the submissions, and one of them could pass for a report",
            where=str(out),
            advice="name another folder with --out",
        )
    open_workers = executor.open_workers(opened, workers, out)
    signal.signal(signal.SIGTERM, _interrupt)
    with open_entries(submissions) as entries:
        sandbox = open_sandbox(chosen, wish)
        with bar("grading") as progress:
            steps = itertools.count(1)

            def advance(done: Done | None) -> None:
                progress(next(steps), len(entries))

            summary = run_batch(
                entries, chosen, sandbox, out, workers=workers, open_workers=open_workers, progress=advance
            )
    _tell(summary, out, sandbox.tier, chosen.max_score)
    if summary.failures:
        sys.exit(EXIT_FAILED)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _tell(summary: BatchSummary, out: Path, tier: str, max_score: float) -> None:
    show = console().print
    fresh = summary.graded - summary.reused
    count = f"{summary.submissions} submission{'' if summary.submissions == 1 else 's'}"
    speed = f", {fresh / summary.seconds:.1f} a second" if fresh and summary.seconds else ""
    show(f"{count}: {fresh} graded in {summary.seconds:.1f} s{speed}, "
         f"{summary.reused} unchanged (isolation: {tier})")  # fmt: skip
    if summary.graded:
        spread = sorted(summary.scores.elements())
        median = spread[len(spread) // 2]
        show(f"score: mean {number(summary.mean)}, median {number(median)}, lowest {number(spread[0])}, "
             f"highest {number(spread[-1])}, of {number(max_score)}")  # fmt: skip
    odd = {status: count for status, count in sorted(summary.statuses.items()) if status != GRADED}
    if odd:
        show("could not be graded: " + ", ".join(f"{count} {status}" for status, count in odd.items()))
    if summary.grader_errors:
        show(f"{summary.grader_errors} tests ended in a grader error, and cost nobody a mark: run `autograder check`")
    for done in summary.failures:
        show(f"no report for {clean(done.name, 80)}, by no fault of its own: {clean(done.failure, 500)}")
    show(f"reports in {out / 'reports'}, gradebook in {out / 'gradebook.csv'}")
