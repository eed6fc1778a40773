"""Offer the options that commands share, load the course, and choose the sandbox."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click

from autograder.cli.terminal import print_line
from autograder.course import Assignment, Course, load_course, require_nearest_course_file
from autograder.course.model import TierName
from autograder.faults import CallerFault, CourseWarning
from autograder.files import set_readers_of_new_output_files
from autograder.sandbox import SandboxConfig, choose_strongest_sandbox
from autograder.sandbox.tiers import ADVICE, REQUIRED_BY_COURSE, TIERS
from autograder.text import join_with_and

if TYPE_CHECKING:  # only some commands have a store
    from autograder.batch.batch_location import BatchLocation

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


def require_nonempty_path(context: click.Context, option: click.Parameter, value: Path | str) -> Path:
    """Refuse an empty path, which comes from an unset shell variable and would mean the current folder."""
    if not str(value):
        owner = " of the submissions" if isinstance(option, click.Argument) else ""
        raise click.BadParameter(f"the path{owner} is empty (use . for the current folder)", context, option)
    return Path(value)


out_option = click.option(
    "--out",
    type=click.Path(),
    callback=require_nonempty_path,
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


@dataclass(frozen=True, slots=True)
class CourseOption:
    """The course that a command is about."""

    course_path: Path | None = None
    """``grading.yml`` or its folder; the nearest course when None."""

    def load(self, submissions_path: Path | None = None, location: BatchLocation | None = None) -> Course:
        """Open the course, which says who may read what is written from now on.

        Args:
            submissions_path: where the submissions lie; the nearest course is refused if it lies there, because it
                may be a student's.
            location: where results are kept; settings that the staff changed there on the web count.

        Raises:
            CallerFault: there is no course, it does not hold together, or it is refused.
        """
        path = self.course_path
        if path is None:
            path = require_nearest_course_file(Path.cwd())
            if submissions_path is not None and path.resolve().is_relative_to(submissions_path.resolve()):
                raise CallerFault(
                    "the course lies among the submissions", str(path), "name your course with --course"
                )
        elif not path.exists():
            raise CallerFault("the course does not exist", str(path), "name the folder that holds grading.yml")
        course = location.load_course(path) if location else load_course(path)
        set_readers_of_new_output_files(course.staff_file_settings.readable_by)
        for assignment in course.assignments:
            if assignment.settings_in_place:
                names = join_with_and(assignment.settings_in_place)
                text = f"{assignment.name}: {names} as set on the web, not as in grading.yml"
                warnings.warn(text, CourseWarning, stacklevel=2)
        return course

    def load_assignment(
        self, assignment_name: str, submissions_path: Path | None = None, location: BatchLocation | None = None
    ) -> Assignment:
        """Open the course as ``load`` does, and return one assignment of it."""
        return get_assignment(self.load(submissions_path, location), assignment_name)

    def load_assignments(self, assignment_name: str | None) -> tuple[Assignment, ...]:
        """Open the course, and return one assignment of it, or all of them when no name is given."""
        course = self.load()
        return (get_assignment(course, assignment_name),) if assignment_name else course.assignments


course_option = gather_options(
    "course",
    CourseOption,
    click.option(
        "--course",
        "course_path",
        type=click.Path(path_type=Path),
        help="grading.yml, or the folder that holds it; by default the one here or in a folder above.",
    ),
)


def get_assignment(course: Course, assignment_name: str) -> Assignment:
    """Find one assignment by name.

    Raises:
        CallerFault: the course has no assignment of that name.
    """
    if assignment := course.find_assignment(assignment_name):
        return assignment
    names = ", ".join(assignment.name for assignment in course.assignments)
    raise CallerFault(f"unknown assignment '{assignment_name}'", advice=f"choose from {names}")


@dataclass(frozen=True, slots=True)
class IsolationTierOptions:
    """The options about isolation."""

    only_tier: TierName | None = None
    """The only accepted tier; any when None."""
    required_tier: TierName | None = None
    """The weakest accepted tier, if stronger than that of ``grading.yml``; no further requirement when None."""
    allow_unsafe: bool = False
    """Whether every tier is accepted, regardless of ``grading.yml``."""

    def choose_sandbox(self, assignment: Assignment) -> SandboxConfig:
        """Choose the strongest sandbox of this machine; warn on standard error if its tier is not the strongest.

        Args:
            assignment: gives the weakest accepted tier, and the packages that submissions may import.

        Raises:
            CallerFault: this machine offers no sandbox that is accepted.
        """
        accepted: TierName = "process" if self.allow_unsafe else assignment.weakest_tier
        weakest = min(accepted, self.required_tier or accepted, key=TIERS.index)
        is_required_by_course = not self.allow_unsafe and weakest == assignment.weakest_tier
        sandbox = choose_strongest_sandbox(
            weakest,
            self.only_tier,
            assignment.packages,
            required_by=REQUIRED_BY_COURSE if is_required_by_course else "--require-tier",
        )
        stronger = TIERS[0]
        if sandbox.tier != stronger:
            print_line(
                f"isolation: tier {sandbox.tier}, weaker than {stronger}; for {stronger}, {ADVICE[stronger]}",
                style="yellow",
                to_stderr=True,
            )
        return sandbox


_TIER = click.Choice(get_args(TierName))
add_isolation_tier_options = gather_options(
    "tiers",
    IsolationTierOptions,
    click.option("--tier", "only_tier", type=_TIER, help="Use this isolation tier and no other."),
    click.option(
        "--require-tier", "required_tier", type=_TIER, help="Insist on this isolation tier or a stronger one."
    ),
    click.option(
        "--allow-unsafe",
        is_flag=True,
        help="Accept any tier, even one that only stops accidents; for code you trust.",
    ),
)
"""Add the three options on isolation, handed on as ``tiers``."""
