"""Offer the options for the course and the folders that commands share, and load the course."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from autograder.course import Assignment, Course, load_course, require_nearest_course_file
from autograder.faults import CallerFault
from autograder.output_file_permissions import set_readers_of_new_output_files

Command = TypeVar("Command", bound=Callable[..., Any])
Decorator = Callable[[Command], Command]


def gather_options(parameter: str, make_value: Callable[..., Any], *options: Decorator[Any]) -> Decorator[Any]:
    """Return a decorator that adds options to a command, which gets what is made of their values as one parameter.

    Args:
        parameter: the name of the command's parameter.
        make_value: called with the values of the options, by the names of its own parameters.
        *options: in the order of the help text.
    """
    names = [*inspect.signature(make_value).parameters]

    def add_options(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def call(**keywords: Any) -> Any:
            value = make_value(**{name: keywords.pop(name) for name in names})
            return command(**{parameter: value}, **keywords)

        return functools.reduce(lambda decorated, option: option(decorated), reversed(options), call)

    return add_options


def _require_nonempty_path(context: click.Context, option: click.Parameter, value: Path | str) -> Path:
    """Refuse an empty path, which comes from an unset shell variable and would mean the current folder."""
    if not str(value):
        raise click.BadParameter("the path is empty (use . for the current folder)", context, option)
    return Path(value)


def require_nonempty_submissions_path(context: click.Context, argument: click.Parameter, value: Path | str) -> Path:
    """Refuse an empty path of submissions, which would mean the current folder."""
    if not str(value):
        raise click.BadParameter(
            "the path of the submissions is empty (use . for the current folder)", context, argument
        )
    return Path(value)


out_option = click.option(
    "--out",
    type=click.Path(),
    callback=_require_nonempty_path,
    required=True,
    help="Folder for reports and gradebook.",
)
results_folder_option = click.option(
    "--out", type=click.Path(path_type=Path), default="results", help="Folder for results; `results` by default."
)
no_explain_option = click.option(
    "--no-explain", is_flag=True, help="Do not look for the smallest change that makes a wrong submission right."
)
store_option = click.option(
    "--store",
    default="",
    metavar="URL",
    help="Keep results in this database (an SQLAlchemy URL), and not in OUT/results.sqlite; later runs know it.",
)
course_option = click.option(
    "--course",
    type=click.Path(path_type=Path),
    help="grading.yml, or the folder that holds it; by default the one here or in a folder above.",
)


def load_course_and_set_output_permissions(course_path: Path | None, submissions_path: Path | None = None) -> Course:
    """Open the course that a command is about, which says who may read what is written.

    Args:
        course_path: the requested course; the nearest one when None.
        submissions_path: where the submissions lie; the nearest course is refused if it lies there, because it may
            be a student's.

    Raises:
        CallerFault: there is no course, it does not hold together, or it is refused.
    """
    if course_path is not None and not course_path.exists():
        raise CallerFault(
            "the course does not exist", where=str(course_path), advice="name the folder that holds grading.yml"
        )
    if course_path is not None:
        return _open_config(course_path)
    course_file = require_nearest_course_file(Path.cwd())
    if submissions_path is not None and course_file.resolve().is_relative_to(submissions_path.resolve()):
        raise CallerFault(
            "the course lies among the submissions", where=str(course_file), advice="name your course with --course"
        )
    return _open_config(course_file)


def _open_config(config: Path) -> Course:
    course = load_course(config)
    set_readers_of_new_output_files(course.staff_file_settings.readable_by)
    return course


def get_assignment(course: Course, assignment_name: str) -> Assignment:
    """Find one assignment by name.

    Raises:
        CallerFault: the course has no assignment of that name.
    """
    if assignment := course.find_assignment(assignment_name):
        return assignment
    names = ", ".join(assignment.name for assignment in course.assignments)
    raise CallerFault(f"unknown assignment '{assignment_name}'", advice=f"choose from {names}")
