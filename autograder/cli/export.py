"""``autograder export``: write results as a platform takes them."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from autograder.batch.batch_location import BatchLocation
from autograder.cli.export_changes import print_export_changes
from autograder.cli.export_upload import print_access_check, upload_audit_and_print_changes
from autograder.cli.platform_list import print_platform_settings, print_platforms
from autograder.cli.roster_options import add_roster_option
from autograder.cli.shared_options import (
    course_option,
    exit_on_fault,
    get_assignment,
    make_console,
    open_course_and_set_file_readers,
    store_option,
)
from autograder.course import Course
from autograder.faults import CallerFault
from autograder.output_file_access import temporarily_set_output_file_readers
from autograder.platforms import ExportOptions, Platform, get_platform, load_platforms
from autograder.platforms.common.class_results import ClassResultsWithNotes, gather_class_results
from autograder.platforms.common.export_journal import (
    load_last_written_marks,
    record_written_marks,
    require_overwrite_names_in_export,
)
from autograder.platforms.common.export_options_and_output import iterate_written_export_files, read_export_options
from autograder.platforms.common.plugin_calls import render_class_with_platform, render_report_with_platform
from autograder.reports import read_report
from autograder.roster.roster import read_roster
from autograder.safe_text import escape_for_display

NO_SHEET_NOTE = "without --gradebook nothing tells what people set there: importing these files may replace it"
MOST = 1e9
"""Beyond it, no platform counts in cents."""


class PointsParamType(click.FloatRange):
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
    "--gradebook", type=click.Path(path_type=Path), help="The table that the platform exported, to be filled in."
)
@add_roster_option
@click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting of the platform's, any number."
)
@click.option(
    "--max-score", type=PointsParamType(0, MOST, min_open=True), help="Full marks there, if not those here."
)
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
@exit_on_fault
def command(
    platform: str,
    assignment: str,
    batch: Path | None,
    report: Path | None,
    out: Path | None,
    gradebook: Path | None,
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
        print_platforms(load_platforms().values()) if not assignment else print_platform_settings(
            get_platform(assignment)
        )
        return
    chosen = get_platform(platform)
    given = replace(read_export_options(chosen, settings, gradebook, max_score), overwrite=frozenset(overwrite))
    if check:
        print_access_check(chosen, given)
        return
    if (batch is None) == (report is None):
        raise CallerFault("is about a class or about one report", "export", "say --batch DIR or --report FILE")
    if report is not None:
        _export_report(chosen, report, given, out)
        return
    assert batch is not None
    if upload and chosen.uploader is None:
        raise CallerFault("has no way in for programs", where=chosen.name, advice="write its files with --out")
    if out is None and not dry_run and not upload:
        raise CallerFault("says not where to write", "export", "name a folder with --out")
    place = BatchLocation(batch, store)
    gathered = _gather_class(place, assignment, open_course_and_set_file_readers(course), given, roster)
    given = replace(given, written=load_last_written_marks(place, chosen, gathered.results.assignment))
    if upload:
        upload_audit_and_print_changes(chosen, place, gathered, given, dry_run)
        return
    made = render_class_with_platform(chosen, gathered.results, given)
    require_overwrite_names_in_export(made, given.overwrite)
    print_export_changes(made, gathered, include_unchanged=dry_run)
    if gradebook is None and made.changes:
        make_console().print(NO_SHEET_NOTE)
    if dry_run:
        make_console().print("nothing was written: this was a dry run")
        return
    assert out is not None
    for path in iterate_written_export_files(made.files, out, gradebook):
        make_console().print(f"wrote {escape_for_display(str(path), 1000)}")
    record_written_marks(place, chosen, gathered.results.assignment, made)


def _gather_class(
    place: BatchLocation, assignment: str, course: Course, given: ExportOptions, roster: Path | None
) -> ClassResultsWithNotes:
    listed = read_roster(roster) if roster else None
    with place.open_existing_store() as kept:
        found = place.get_class(kept, assignment)
        of = get_assignment(course, found.rules.assignment)
        return gather_class_results(kept, found, of, given.settings.get("bonus", ""), listed)


def _export_report(platform: Platform, report: Path, given: ExportOptions, out: Path | None) -> None:
    if platform.report_writer is None:
        raise CallerFault("takes whole classes", where=platform.name, advice="say --batch DIR")
    files = render_report_with_platform(platform, read_report(report), given)
    if out is None and len(files) == 1:
        sys.stdout.buffer.write(b"".join(files.values()))
    elif out is None:
        raise CallerFault(f"takes several files: {', '.join(files)}", platform.name, "name a folder with --out")
    else:
        # A platform runs this, and may read the result as another user.
        with temporarily_set_output_file_readers("everybody"):
            for path in iterate_written_export_files(files, out):
                make_console().print(f"wrote {escape_for_display(str(path), 1000)}")
