"""``autograder report``: write reports and gradebook again."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from autograder.batch.batch_location import PAGES_FOLDER, VERSIONS, BatchLocation
from autograder.batch.graded_class import RewriteOptions, rewrite_reports_and_gradebook
from autograder.batch.output_files import make_safe_file_name
from autograder.cli.batch_execution import iterate_extension_without_submission_lines
from autograder.cli.class_inputs import add_submission_times_option, read_submission_times_option
from autograder.cli.options import CourseOption, course_option, get_assignment, out_option, store_option
from autograder.cli.students import SubmissionOwners, expand_student_names, load_earlier_roster
from autograder.cli.terminal import print_line
from autograder.course import Assignment
from autograder.lateness import SubmissionTimes
from autograder.store.results.graded_class_table import StoredGradedClass
from autograder.store.store import Store
from autograder.text import format_count


@click.command()
@click.argument("assignment", required=False, default="")
@out_option
@store_option
@click.option(
    "--version",
    default="",
    help="Write the results of this version of the assignment, to OUT/versions/VERSION: the present ones stay.",
)
@add_submission_times_option
@click.option(
    "--pages",
    is_flag=True,
    help="Write every student's web page too, to OUT/feedback; later runs keep it up to date.",
)
@course_option
def command(  # noqa: PLR0913 - a parameter for each option
    assignment: str,
    out: Path,
    store: str,
    version: str,
    submission_times: Path | None,
    pages: bool,
    course: CourseOption,
) -> None:
    """Write OUT/reports, OUT/raw and OUT/gradebook.csv from what is kept; nothing is graded.

    It is about ASSIGNMENT, or about the one that was graded into OUT last. Pages hold what students may see once
    grades are published.
    """
    location = BatchLocation(out, store)
    loaded_course = course.load(location=location)
    messages: list[str] = []

    def read_table(
        opened_store: Store, stored_class: StoredGradedClass, assignment_of_class: Assignment
    ) -> SubmissionTimes:
        assert submission_times is not None
        entries = [*opened_store.classes.iterate_entries(stored_class)]
        roster = load_earlier_roster(opened_store, stored_class)
        times = read_submission_times_option(
            submission_times, entries, assignment_of_class.deadline_rules.default_zone, None, messages.append
        )
        submission_owners = (
            SubmissionOwners(entry.name, entry.origin, entry.submission_time.members if entry.submission_time else ())
            for entry in entries
        )
        return expand_student_names(times, submission_owners, roster, assignment_of_class.deadline_rules)

    read_times = read_table if submission_times is not None else None
    folder = out / VERSIONS / make_safe_file_name(version) if version else out
    summary = rewrite_reports_and_gradebook(
        location,
        assignment,
        partial(get_assignment, loaded_course),
        RewriteOptions(version, read_times, with_student_pages=pages, other_output_folder=folder),
    )
    for line in messages:
        print_line(line)
    submissions = format_count(summary.submission_count, "submission")
    print_line(f"{format_count(summary.written_count, 'report')} of {submissions}, version {summary.version}")
    if summary.outdated_count:
        print_line(f"{summary.outdated_count} of them are of an earlier version or another setting")
    if summary.versions_with_results:
        print_line(f"versions that there are results of: {', '.join(summary.versions_with_results)}")
    if summary.other_kit_count:
        print_line(f"{summary.other_kit_count} of them are by an earlier version of the kit")
    for line in iterate_extension_without_submission_lines(summary.extensions_without_submission):
        print_line(line)
    print_line(f"reports in {folder / 'reports'}, gradebook in {folder / 'gradebook.csv'}")
    if summary.wrote_student_pages:
        print_line(f"pages for students in {folder / PAGES_FOLDER}")
