"""``autograder overview``: a class at a glance."""

from __future__ import annotations

from pathlib import Path

import click

from autograder.atomic_file_writing import write_file_atomically
from autograder.batch.batch_location import BatchLocation
from autograder.batch.opened_graded_class import open_graded_class
from autograder.batch.output_layout import OVERVIEW
from autograder.class_reports.class_overview import ClassOverview
from autograder.class_reports.class_overview_collection import collect_class_overview
from autograder.class_reports.overview_page import encode_overview_page
from autograder.class_reports.terminal_overview import iterate_rich_overview_parts
from autograder.cli.options.graded_class_options import GradedClassOptions, add_graded_class_options
from autograder.cli.options.shared_options import get_assignment, load_course_and_set_output_permissions
from autograder.cli.output.console import print_line
from autograder.faults import CallerFault
from autograder.store.connection import DATABASE_FILE


@click.command()
@click.option(
    "--beside",
    default="",
    metavar="DIR|VERSION",
    help="Compare with the class in this folder (last year's, another section's), or with an earlier version.",
)
@click.option("--page", type=click.Path(path_type=Path), help="Where to write it; OUT/overview.html by default.")
@add_graded_class_options
def command(beside: str, page: Path | None, options: GradedClassOptions) -> None:
    """Show how a class did: points, hardest tests, mistakes and who has them, who is late or could not be graded.

    Prints it, and writes a page that needs no network.
    """
    with options.open_class(dry_run=True) as opened:
        overview = collect_class_overview(opened, options.out)
        other = None
        if beside and not Path(beside).is_dir():
            version = _find_version(beside, opened.store.results.list_versions_with_results(opened.assignment.name))
            other = collect_class_overview(opened, options.out, version)
    if beside and Path(beside).is_dir():
        other = _load_other(Path(beside), options, opened.assignment.name)
    for part in iterate_rich_overview_parts(overview, other):
        print_line(part)
    written = page or options.out / OVERVIEW
    write_file_atomically(written, encode_overview_page(overview, other))
    print_line(f"wrote {written}")


def _find_version(wanted: str, known: list[str]) -> str:
    found = [one for one in known if one.startswith(wanted)]
    if len(found) != 1:
        raise CallerFault(
            f"'{wanted}' is neither a folder nor a version",
            advice=f"choose from the versions {', '.join(known)}" if known else "name a folder",
        )
    return found[0]


def _load_other(folder: Path, options: GradedClassOptions, assignment: str) -> ClassOverview:
    """Return the overview of another class of the same assignment; its store is in its folder, or the same."""
    course = load_course_and_set_output_permissions(options.course)
    place = BatchLocation(folder, "" if (folder / DATABASE_FILE).exists() else options.store)
    with open_graded_class(place, assignment, lambda name: get_assignment(course, name), dry_run=True) as opened:
        return collect_class_overview(opened, folder)
