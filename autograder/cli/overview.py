"""``autograder overview``: a class at a glance."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from autograder.batch.batch_location import OVERVIEW, BatchLocation
from autograder.batch.graded_class import open_graded_class
from autograder.class_reports.class_overview import ClassOverview, collect_class_overview
from autograder.class_reports.staff_views import iterate_rich_overview_parts, render_overview_page
from autograder.cli.graded_class import GradedClassOptions, add_graded_class_options
from autograder.cli.options import get_assignment
from autograder.cli.terminal import print_line
from autograder.faults import CallerFault
from autograder.files import is_standard_output, is_writable, write_file_atomically
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
    with options.open_class(dry_run=True) as opened_class:
        overview = collect_class_overview(opened_class, options.out)
        other_overview = None
        if beside and not Path(beside).is_dir():
            version = _find_version(
                beside, opened_class.store.results.list_versions_with_results(opened_class.assignment.name)
            )
            other_overview = collect_class_overview(opened_class, options.out, version)
    if beside and Path(beside).is_dir():
        other_overview = _load_other_overview(Path(beside), options, opened_class.assignment.name)
    for part in iterate_rich_overview_parts(overview, other_overview):
        print_line(part)
    if page is None and options.out.is_dir() and not is_writable(options.out):
        print_line(f"{options.out} is read-only, so no page was written; name one with --page", to_stderr=True)
        return
    path = page or options.out / OVERVIEW
    write_file_atomically(path, render_overview_page(overview, other_overview))
    print_line(f"wrote {path}", to_stderr=is_standard_output(path))


def _find_version(prefix: str, versions: list[str]) -> str:
    matches = [version for version in versions if version.startswith(prefix)]
    if len(matches) != 1:
        raise CallerFault(
            f"'{prefix}' is neither a folder nor a version",
            advice=f"choose from the versions {', '.join(versions)}" if versions else "name a folder",
        )
    return matches[0]


def _load_other_overview(folder: Path, options: GradedClassOptions, assignment: str) -> ClassOverview:
    """Return the overview of another class of the same assignment; its store is in its folder, or the same."""
    location = BatchLocation(folder, "" if (folder / DATABASE_FILE).exists() else options.store)
    course = options.course.load(location=location)
    with open_graded_class(location, assignment, partial(get_assignment, course), dry_run=True) as opened_class:
        return collect_class_overview(opened_class, folder)
