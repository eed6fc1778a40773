"""``autograder batch``: a class."""

from __future__ import annotations

import signal
import sys
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

import click

from autograder.batch import run_batch
from autograder.batch.gradebook import plain_cell
from autograder.cli import json_lines as lines
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
from autograder.cli.progress import batch_progress
from autograder.cli.summary import told as told_of
from autograder.faults import CallerFault
from autograder.lateness import read_hand_ins
from autograder.submissions import Entry, open_entries
from autograder.text import clean_name


@click.command()
@click.argument("assignment")
@click.argument("submissions", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder for reports and gradebook.")
@click.option("--workers", type=click.IntRange(1, 512), help="Processes at once; by default one a processor.")
@click.option(
    "--hand-ins",
    type=click.Path(path_type=Path),
    help="CSV file with the columns submission, student and handed_in; without it, nothing is late.",
)
@click.option("--json-lines", is_flag=True, help="Print one JSON object for each submission, and nothing else.")
@click.option(
    "--progress-every",
    type=click.FloatRange(0.1, 3600),
    default=10.0,
    metavar="SECONDS",
    help="Seconds between two lines on progress, where there is no terminal; 10 by default.",
)
@course_option
@tier_options
@told
def command(
    assignment: str,
    submissions: Path,
    out: Path,
    workers: int | None,
    hand_ins: Path | None,
    json_lines: bool,
    progress_every: float,
    course: Path | None,
    wish: TierWish,
) -> None:
    """Grade SUBMISSIONS, a folder or zip with one file or sub-folder a student.

    Writes OUT/reports/<submission>.json, OUT/gradebook.csv and, for the staff, OUT/raw/. Run again, it grades only
    what is new or changed.
    """
    chosen = find_assignment(open_course(course, submissions), assignment)
    if out.resolve().is_relative_to(submissions.resolve()):
        raise CallerFault(
            "lies among the submissions, and one of them could pass for a report",
            where=str(out),
            advice="name another folder with --out",
        )
    if hand_ins is not None and hand_ins.resolve().is_relative_to(submissions.resolve()):
        raise CallerFault(
            "lies among the submissions, and a student may have written it",
            where=str(hand_ins),
            advice="keep the table of hand-ins elsewhere",
        )
    signal.signal(signal.SIGTERM, _interrupt)
    with open_entries(submissions) as entries:
        table = None
        if hand_ins is not None:
            table = read_hand_ins(hand_ins, _called(entries), chosen.due.timezone, datetime.now(UTC))
        sandbox = open_sandbox(chosen, wish)
        if json_lines:
            lines.start(chosen, len(entries), sandbox.tier)
        shown = nullcontext(lines.done) if json_lines else batch_progress(len(entries), progress_every)
        with shown as progress:
            summary = run_batch(entries, chosen, sandbox, out, workers=workers, hand_ins=table, progress=progress)
    if json_lines:
        lines.end(summary, out)
    else:
        for line in told_of(summary, chosen, table, out, sandbox.tier):
            console().print(line)
    if summary.failures:
        sys.exit(EXIT_FAILED)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _called(entries: list[Entry]) -> dict[str, str]:
    """Each submission's id in its report, by every name that a table may call it; its own goes first."""
    called: dict[str, str] = {}
    for name in (lambda one: one.name, lambda one: clean_name(one.name), lambda one: one.path.name, _cell):
        for entry in entries:
            called.setdefault(name(entry), clean_name(entry.name))
    return called


def _cell(entry: Entry) -> str:
    """As the gradebook calls it."""
    return plain_cell(clean_name(entry.name))
