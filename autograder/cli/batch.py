"""``autograder batch``: grade a class."""

from __future__ import annotations

import signal
import sys
from contextlib import nullcontext
from pathlib import Path
from types import FrameType

import click

from autograder.batch import BatchRequest, Place, run_batch
from autograder.cli import json_lines as lines
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
from autograder.cli.executor import ExecutorWish, executor_options
from autograder.cli.hand_ins import hand_ins_of, hand_ins_option
from autograder.cli.origins import from_option, hand_ins_from, roster_of, roster_option
from autograder.cli.origins import told_of as told_of_origins
from autograder.cli.progress import batch_progress
from autograder.cli.summary import told as told_of
from autograder.cli.who_handed_in import Source, as_extensions_call, with_members
from autograder.faults import CallerFault
from autograder.platforms.arrange import PLAIN, open_class
from autograder.platforms.claims import Recognised


@click.command()
@click.argument("assignment")
@click.argument("submissions", type=click.Path(path_type=Path))
@out_option
@store_option
@from_option
@roster_option
@click.option("--workers", type=click.IntRange(1, 512), help="Processes at once; by default one a processor.")
@hand_ins_option
@click.option("--json-lines", is_flag=True, help="Print one JSON object for each submission, and nothing else.")
@click.option(
    "--progress-every",
    type=click.FloatRange(0.1, 3600),
    default=10.0,
    metavar="SECONDS",
    help="Seconds between two lines on progress, where there is no terminal; 10 by default.",
)
@executor_options
@course_option
@tier_options
@told
def command(
    assignment: str,
    submissions: Path,
    out: Path,
    store: str,
    platform: str,
    roster: Path | None,
    workers: int | None,
    hand_ins: Path | None,
    json_lines: bool,
    progress_every: float,
    course: Path | None,
    wish: TierWish,
    executor: ExecutorWish,
) -> None:
    """Grade SUBMISSIONS, a platform's download as it is, or a folder or zip with one file or sub-folder a student.

    Writes OUT/reports/<submission>.json, OUT/gradebook.csv and, for the staff, OUT/raw/. What they are made of is
    kept in OUT/results.sqlite: run again, it grades only what is new or changed.
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
    signal.signal(signal.SIGTERM, interrupt)
    listed = roster_of(roster, submissions)
    with open_class(submissions, platform) as found:
        recognised = listed.recognised_all(found.entries) if listed else Recognised(found.entries)
        entries = recognised.entries
        table = hand_ins_from(entries, chosen.due.timezone)
        of_times: list[str] = []
        if hand_ins is not None:
            table = hand_ins_of(hand_ins, entries, chosen.due.timezone, submissions, of_times.append)
        if table is not None:
            table = with_members(table, (Source(entry.name, entry.origin) for entry in entries), listed)
            table = as_extensions_call(table, listed, chosen.due)
        title = found.platform.title if found.platform else ""
        said = [*told_of_origins(entries, title, listed, table), *recognised.disputes, *of_times]
        sandbox = open_sandbox(chosen, wish)
        if json_lines:
            lines.start(chosen, len(entries), sandbox.tier)
        shown = nullcontext(lines.done) if json_lines else batch_progress(len(entries), progress_every)
        with shown as progress:
            request = BatchRequest(chosen, sandbox, Place(out, store), open_workers, progress)
            named = found.platform.name if found.platform else PLAIN
            summary = run_batch(request, entries, source=submissions, platform=named, hand_ins=table)
    if json_lines:
        lines.end(summary, out, said)
    else:
        for line in (*said, *told_of(summary, chosen, out, sandbox.tier)):
            console().print(line)
    if summary.failures:
        sys.exit(EXIT_FAILED)


def interrupt(number: int, frame: FrameType | None) -> None:
    """End in good order when a signal asks for it."""
    raise KeyboardInterrupt
