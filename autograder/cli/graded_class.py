"""Open the class that a command is about, and find its files."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from autograder.batch.batch_location import BatchLocation
from autograder.batch.graded_class import OpenedGradedClass, open_graded_class
from autograder.cli.options import (
    CourseOption,
    course_option,
    gather_options,
    get_assignment,
    out_option,
    results_folder_option,
    store_option,
)
from autograder.cli.terminal import print_line
from autograder.faults import CallerFault, translate_file_errors
from autograder.platforms.common.opened_submissions import PLAIN, open_class_submissions
from autograder.store.results.graded_class_table import StoredGradedClass
from autograder.text import escape_name_unambiguously, format_abbreviated_list


@dataclass(frozen=True, slots=True)
class GradedClassOptions:
    """The class that a command is about."""

    out: Path
    store: str
    assignment: str
    course: CourseOption

    @property
    def batch_location(self) -> BatchLocation:
        """Return where the class was graded."""
        return BatchLocation(self.out, self.store)

    @contextmanager
    def open_class(self, *, dry_run: bool = False) -> Iterator[OpenedGradedClass]:
        """Open the class.

        Raises:
            CallerFault: there is no course, or nothing was graded there.
        """
        location = self.batch_location
        course = self.course.load(location=location)
        with open_graded_class(
            location, self.assignment, partial(get_assignment, course), dry_run=dry_run
        ) as opened_class:
            yield opened_class


add_graded_class_options = gather_options(
    "options",
    GradedClassOptions,
    out_option,
    store_option,
    click.option("--assignment", default="", help="Which one, where OUT holds several; by default the last."),
    course_option,
)
"""Add the options that name a graded class, handed on as ``options``."""


def _make_batch_location(out: Path, store: str) -> BatchLocation:
    return BatchLocation(out, store)


add_results_location_options = gather_options("location", _make_batch_location, results_folder_option, store_option)
"""Add the options that locate a served course's results, as ``location``."""


@contextmanager
def open_submission_paths(stored_class: StoredGradedClass) -> Iterator[Mapping[str, Path]]:
    """Yield the path of each submission by its name; a zip is unpacked until the block ends.

    The mapping is empty if the download is gone or is no download any more.

    Raises:
        CallerFault: the download's folder cannot be opened.
    """
    with translate_file_errors(stored_class.submissions_path):
        is_there = stored_class.submissions_path.exists()
    with ExitStack() as stack:
        paths: dict[str, Path] = {}
        if is_there:
            try:
                submissions = stack.enter_context(
                    open_class_submissions(stored_class.submissions_path, stored_class.platform_name or PLAIN)
                )
            except CallerFault:
                submissions = None
            if submissions:
                paths = {entry.name: entry.path for entry in submissions.entries}
        yield paths


def warn_about_missing_files(
    submission_names: Collection[str], written_file_kind: str, *, to_stderr: bool = False
) -> None:
    """Print which submissions' files are gone, so that the written file lacks them.

    Args:
        submission_names: those without files.
        written_file_kind: what was written, such as ``archive``.
        to_stderr: whether standard output holds the file itself.
    """
    if submission_names:
        names = format_abbreviated_list([escape_name_unambiguously(name) for name in submission_names])
        line = f"the files of {names} are gone and not in the {written_file_kind}: keep the download that was graded"
        print_line(line, to_stderr=to_stderr)
