"""``autograder report``: write reports and gradebook again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from autograder.batch.folder import PAGES
from autograder.batch.place import Place
from autograder.batch.rewrite import rewrite
from autograder.cli.common import console, course_option, find_assignment, open_course, out_option, store_option, told
from autograder.cli.hand_ins import hand_ins_of, hand_ins_option
from autograder.cli.summary import told_of_idle
from autograder.cli.who_handed_in import Source, with_members
from autograder.course import Assignment
from autograder.lateness import HandIns
from autograder.store.members import Member


@click.command()
@click.argument("assignment", required=False, default="")
@out_option
@store_option
@click.option("--version", default="", help="Show the results of this version of the assignment.")
@hand_ins_option
@click.option(
    "--pages",
    is_flag=True,
    help="Write every student's web page too, to OUT/feedback; later runs keep it up to date.",
)
@course_option
@told
def command(
    assignment: str, out: Path, store: str, version: str, hand_ins: Path | None, pages: bool, course: Path | None
) -> None:
    """Write OUT/reports, OUT/raw and OUT/gradebook.csv from what is kept; nothing is graded.

    It is about ASSIGNMENT, or about the one that was graded into OUT last. Pages hold what students may see once
    grades are published.
    """
    opened = open_course(course)
    of_times: list[str] = []

    def table(members: Iterable[Member], of: Assignment) -> HandIns:
        assert hand_ins is not None
        known = [*members]
        named = hand_ins_of(hand_ins, known, of.due.timezone, None, of_times.append)
        sources = (Source(one.name, one.origin, one.hand_in.members if one.hand_in else ()) for one in known)
        return with_members(named, sources)

    found = table if hand_ins is not None else None
    done = rewrite(
        Place(out, store), assignment, lambda name: find_assignment(opened, name), version, found, pages=pages
    )
    show = console().print
    for line in of_times:
        show(line)
    show(f"{done.written} reports of {done.members} submissions, version {done.version}")
    if done.outdated:
        show(f"{done.outdated} of them are of an earlier version or another setting")
    show(f"versions that there are results of: {', '.join(done.versions)}")
    if done.by_other_kits:
        show(f"{done.by_other_kits} of them are by an earlier version of the kit")
    for line in told_of_idle(done.idle):
        show(line)
    show(f"reports in {out / 'reports'}, gradebook in {out / 'gradebook.csv'}")
    if done.pages:
        show(f"pages for students in {out / PAGES}")
