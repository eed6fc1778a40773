"""``autograder export``: write results as a platform takes them."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from autograder.batch.place import Place
from autograder.cli.changes import show_changes
from autograder.cli.common import (
    console,
    course_option,
    find_assignment,
    open_course,
    store_option,
    told,
)
from autograder.cli.offers import show_offers, show_settings
from autograder.cli.origins import roster_option
from autograder.cli.upload import send, show_check
from autograder.course import Course
from autograder.faults import CallerFault
from autograder.platforms import Given, Platform, platform_of, platforms
from autograder.platforms.calls import export_of, files_of
from autograder.platforms.journal import check_names, keep_written, written_last
from autograder.platforms.results import Gathered, gather
from autograder.platforms.roster import read_roster
from autograder.platforms.saving import read_given, save
from autograder.reports import read_report
from autograder.staff_files import readable_by
from autograder.text import clean

UNSEEN = "without --sheet nothing tells what people set there: importing these files may replace it"
MOST = 1e9
"""Beyond it, no platform counts in cents."""


class Points(click.FloatRange):
    """A number of points: ``nan`` is within every range, and none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number.

        Raises:
            click.BadParameter: the value is not a number, or out of range.
        """
        points = float(super().convert(value, param, ctx))
        if math.isnan(points):
            self.fail(f"{value!r} is no number of points", param, ctx)
        return points


@click.command()
@click.argument("platform")
@click.argument("assignment", required=False, default="")
@click.option("--batch", type=click.Path(path_type=Path), help="The folder that `autograder batch` wrote.")
@click.option("--report", type=click.Path(path_type=Path), help="One score report, instead of a class.")
@click.option("--out", type=click.Path(path_type=Path), help="Where to write; one report's goes to the terminal.")
@click.option(
    "--sheet", type=click.Path(path_type=Path), help="The table that the platform exported, to be filled in."
)
@roster_option
@click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting of the platform's, any number."
)
@click.option("--max-score", type=Points(0, MOST, min_open=True), help="Full marks there, if not those here.")
@click.option("--upload", is_flag=True, help="Send scores to the platform, where it has a way in for programs.")
@click.option("--check", is_flag=True, help="Try address, token, course and assignment; send nothing.")
@click.option(
    "--overwrite",
    multiple=True,
    metavar="STUDENT",
    help="Replace also what a person decided for this student, any number; `all` for everybody's.",
)
@click.option("--dry-run", is_flag=True, help="Show old and new score of everybody, and write nothing.")
@store_option
@course_option
@told
def command(
    platform: str,
    assignment: str,
    batch: Path | None,
    report: Path | None,
    out: Path | None,
    sheet: Path | None,
    roster: Path | None,
    settings: tuple[str, ...],
    max_score: float | None,
    upload: bool,
    check: bool,
    overwrite: tuple[str, ...],
    dry_run: bool,
    store: str,
    course: Path | None,
) -> None:
    """Write what PLATFORM takes: a class's scores and feedback, or one report's results.

    Platforms: see `autograder export list`; what --set understands: `autograder export list PLATFORM`.
    """
    if platform == "list":
        show_offers(platforms().values()) if not assignment else show_settings(platform_of(assignment))
        return
    chosen = platform_of(platform)
    given = replace(read_given(chosen, settings, sheet, max_score), overwrite=frozenset(overwrite))
    if check:
        show_check(chosen, given)
        return
    if (batch is None) == (report is None):
        raise CallerFault("is about a class or about one report", "export", "say --batch DIR or --report FILE")
    if report is not None:
        _one(chosen, report, given, out)
        return
    assert batch is not None
    if upload and chosen.uploader is None:
        raise CallerFault("has no way in for programs", where=chosen.name, advice="write its files with --out")
    if out is None and not dry_run and not upload:
        raise CallerFault("says not where to write", "export", "name a folder with --out")
    place = Place(batch, store)
    gathered = _gathered(place, assignment, open_course(course), given, roster)
    given = replace(given, written=written_last(place, chosen, gathered.results.assignment))
    if upload:
        send(chosen, place, gathered, given, dry_run)
        return
    made = export_of(chosen, gathered.results, given)
    check_names(made, given.overwrite)
    show_changes(made, gathered, everybody=dry_run)
    if sheet is None and made.changes:
        console().print(UNSEEN)
    if dry_run:
        console().print("nothing was written: this was a dry run")
        return
    assert out is not None
    for path in save(made.files, out, sheet):
        console().print(f"wrote {clean(str(path), 1000)}")
    keep_written(place, chosen, gathered.results.assignment, made)


def _gathered(place: Place, assignment: str, course: Course, given: Given, roster: Path | None) -> Gathered:
    listed = read_roster(roster) if roster else None
    with place.reopened() as kept:
        found = place.find(kept, assignment)
        of = find_assignment(course, found.rules.assignment)
        return gather(kept, found, of, given.settings.get("bonus", ""), listed)


def _one(platform: Platform, report: Path, given: Given, out: Path | None) -> None:
    if platform.report_writer is None:
        raise CallerFault("takes whole classes", where=platform.name, advice="say --batch DIR")
    files = files_of(platform, read_report(report), given)
    if out is None and len(files) == 1:
        sys.stdout.buffer.write(b"".join(files.values()))
    elif out is None:
        raise CallerFault(f"takes several files: {', '.join(files)}", platform.name, "name a folder with --out")
    else:
        with readable_by("everybody"):  # a platform runs this, and may read the result as another user
            for path in save(files, out):
                console().print(f"wrote {clean(str(path), 1000)}")
