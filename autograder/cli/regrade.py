"""``autograder regrade``: results brought up to date."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from autograder.batch import run_regrade
from autograder.batch.clerk import Regraded
from autograder.batch.place import Place
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
from autograder.cli.progress import batch_progress
from autograder.cli.summary import told as told_of
from autograder.platforms.arrange import PLAIN, open_class
from autograder.reports import ScoreReport
from autograder.reports.words import number
from autograder.submissions import Entry
from autograder.text import clean_name

PROGRESS_SECONDS = 10.0


@click.command()
@click.argument("assignment")
@out_option
@store_option
@click.option(
    "--submissions", type=click.Path(path_type=Path), help="Where they lie now, if not where they lay then."
)
@click.option("--why", is_flag=True, help="Say of each submission what was run again, why, and what came of it.")
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
    workers: int | None,
    course: Path | None,
    wish: TierWish,
) -> None:
    """Grade again what a change of ASSIGNMENT touches of the class in OUT, and nothing else.

    Changed points are counted anew from what was kept; a changed test is run alone. Earlier results stay: see them
    with `autograder report --version`.
    """
    chosen = find_assignment(open_course(course, submissions), assignment)
    place = Place(out, store)
    with place.reopened() as kept:
        batch = place.find(kept, assignment)
        source = submissions or batch.source
    signal.signal(signal.SIGTERM, interrupt)
    with _entries(source, batch.platform or PLAIN, asked=submissions is not None) as entries:
        sandbox = open_sandbox(chosen, wish)
        with batch_progress(len(entries), PROGRESS_SECONDS) as progress:
            summary = run_regrade(
                entries, chosen, sandbox, out, workers=workers, progress=progress, store=store,
                regraded=_explain if why else None,
            )  # fmt: skip
    for line in told_of(summary, chosen, out, sandbox.tier):
        console().print(line)
    if summary.failures:
        sys.exit(EXIT_FAILED)


@contextmanager
def _entries(source: Path, platform: str, *, asked: bool) -> Iterator[list[Entry]]:
    """What lies there; nothing, if the place is gone and nobody named it."""
    if not asked and not source.exists():
        console(stderr=True).print(f"{source} is gone: only what was kept can be counted anew", style="yellow")
        yield []
        return
    with open_class(source, platform) as found:
        yield found.entries


def _explain(one: Regraded) -> None:
    """Print what a regrade did with one submission."""
    show = console().print
    before, after = one.before, one.after
    show(f"{clean_name(one.name)}: {_points(before)} -> {_points(after)}", style="bold")
    if one.plan.everything:
        show(f"  all of it was graded again: {one.plan.everything}")
    elif not one.plan.tests:
        show("  no test was run again")
    earlier = {test.id: test for test in before.tests}
    for test in after.tests:
        was = earlier[test.id].outcome if test.id in earlier else "not there"
        if test.id in one.plan.tests:
            show(f"  {test.id}: {was} -> {test.outcome} ({one.plan.tests[test.id]})")
        elif was != test.outcome:
            show(f"  {test.id}: {was} -> {test.outcome}")
    for name in earlier.keys() - {test.id for test in after.tests}:
        show(f"  {name}: {earlier[name].outcome} -> not there any more")


def _points(report: ScoreReport) -> str:
    bonus = f" + {number(report.bonus.score)}" if report.bonus.max_score else ""
    return f"{number(report.score)}{bonus}"
