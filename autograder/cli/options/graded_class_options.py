"""Options that name a class that was graded, or the results of a served course."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from autograder.batch.batch_location import BatchLocation
from autograder.batch.opened_graded_class import OpenedGradedClass, open_graded_class
from autograder.cli.fault_handling import exit_on_fault
from autograder.cli.options.shared_options import (
    course_option,
    gather_options,
    get_assignment,
    load_course_and_set_output_permissions,
    out_option,
    results_folder_option,
    store_option,
)


@dataclass(frozen=True, slots=True)
class GradedClassOptions:
    """The class that a command is about."""

    out: Path
    store: str
    assignment: str
    course: Path | None

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
        course = load_course_and_set_output_permissions(self.course)
        with open_graded_class(
            self.batch_location, self.assignment, lambda name: get_assignment(course, name), dry_run=dry_run
        ) as opened_class:
            yield opened_class


add_graded_class_options = gather_options(
    "options",
    GradedClassOptions,
    out_option,
    store_option,
    click.option("--assignment", default="", help="Which one, where OUT holds several; by default the last."),
    course_option,
    exit_on_fault,
)
"""Add the options that name a graded class, handed on as ``options``; turn faults into exit codes."""


def _make_batch_location(out: Path, store: str) -> BatchLocation:
    return BatchLocation(out, store)


add_results_location_options = gather_options(
    "location", _make_batch_location, results_folder_option, store_option, exit_on_fault
)
"""Add the options that locate a served course's results, as ``location``; turn faults into exit codes."""
