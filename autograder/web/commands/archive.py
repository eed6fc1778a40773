"""``autograder archive``: pack a term into one file, and erase it afterwards."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import click

from autograder.batch import BatchLocation
from autograder.cli.graded_class import add_results_location_options, open_submission_paths, warn_about_missing_files
from autograder.cli.options import CourseOption, course_option
from autograder.cli.terminal import print_line
from autograder.store.connection import try_vacuum_store
from autograder.web.commands.people import NOT_VACUUMED
from autograder.web.retention.archive import write_term_archive
from autograder.web.retention.erasure import erase_term_except_staff
from autograder.web.store.server_store import open_server_store


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--erase", is_flag=True, help="Erase the term when the archive was read back; the staff stays.")
@click.option("--yes", is_flag=True, help="Do not ask before erasing.")
@add_results_location_options
@course_option
def command(file: Path, erase: bool, yes: bool, location: BatchLocation, course: CourseOption) -> None:
    """Write FILE, a zip with everything of the term in OUT: people, submissions, reports, decisions, audit log.

    With --erase, students and all that they handed in are then erased from OUT and the store.
    """
    loaded_course, out = course.load(location=location), location.output_folder
    with open_server_store(location, must_exist=True) as opened_store:
        write = partial(write_term_archive, opened_store, location, loaded_course, file, open_submission_paths)
        archive = write()
        done = "kept, since it holds the same:" if archive.was_there else "wrote"
        print_line(f"{done} {file}: {len(archive.digests)} files, {file.stat().st_size} bytes, read back")
        warn_about_missing_files(archive.missing_submissions, "archive")
        if not erase:
            return
        if not yes:
            click.confirm(f"Erase the term from {out} for good?", abort=True)
        erase_term_except_staff(opened_store, location, require_archived=write)
    is_vacuumed = try_vacuum_store(location.store_url)
    print_line(f"erased the term from {out}; its staff, grading.yml and the archive stay")
    if not is_vacuumed:
        click.echo(NOT_VACUUMED, err=True)
        sys.exit(1)
