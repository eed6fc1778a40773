"""Code that the commands share: options, the course, and how errors are printed."""

from __future__ import annotations

import errno
import functools
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, get_args

import click
from rich.console import Console

from autograder.course import Assignment, Course, load_course, require_nearest_course_file
from autograder.course.model import TierName
from autograder.faults import CallerFault, CourseFault, CourseWarning, KitFault, list_course_faults, make_file_fault
from autograder.output_file_permissions import (
    set_readers_of_new_output_files,
    temporarily_set_readers_of_new_output_files,
)
from autograder.safe_text import escape_for_display
from autograder.sandbox import SandboxConfig, choose_strongest_working_sandbox
from autograder.sandbox.tier_probe_and_sandbox_choice import ADVICE, TIERS

P = ParamSpec("P")
R = TypeVar("R")

EXIT_FAILED, EXIT_CALLER, EXIT_INTERRUPTED = 1, 2, 130
CALLER_ERROR_NUMBERS = (errno.ENAMETOOLONG, errno.ENOENT, errno.EACCES, errno.ENOTDIR, errno.ELOOP)
WIDTH = 1000


def _require_nonempty_path(context: click.Context, option: click.Parameter, value: Path | str) -> Path:
    """Refuse an empty path, which comes from an unset shell variable and would mean the current folder."""
    if not str(value):
        raise click.BadParameter("the path is empty (use . for the current folder)", context, option)
    return Path(value)


out_option = click.option(
    "--out",
    type=click.Path(),
    callback=_require_nonempty_path,
    required=True,
    help="Folder for reports and gradebook.",
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


@dataclass(frozen=True, slots=True)
class IsolationTierOptions:
    """The options about isolation."""

    only_tier: TierName | None = None
    """The only accepted tier; any when None."""
    required_tier: TierName | None = None
    """The weakest accepted tier, if stronger than that of ``grading.yml``; no further requirement when None."""
    allow_unsafe: bool = False
    """Whether every tier is accepted, regardless of ``grading.yml``."""

    def choose_weakest_accepted_tier(self, weakest_in_course: TierName) -> TierName:
        """Return the weakest tier that is accepted.

        Args:
            weakest_in_course: the weakest that grading.yml accepts.
        """
        accepted: TierName = "process" if self.allow_unsafe else weakest_in_course
        return min(accepted, self.required_tier or accepted, key=TIERS.index)


def add_isolation_tier_options(function: Callable[..., R]) -> Callable[..., R]:
    """Add the three options on isolation, handed on as ``tiers``."""
    names = click.Choice(get_args(TierName))

    @click.option("--tier", type=names, help="Use this isolation tier and no other.")
    @click.option("--require-tier", type=names, help="Insist on this isolation tier or a stronger one.")
    @click.option(
        "--allow-unsafe",
        is_flag=True,
        help="Accept any tier, even one that only stops accidents; for code you trust.",
    )
    @functools.wraps(function)
    def wrapped(
        *arguments: Any, tier: TierName | None, require_tier: TierName | None, allow_unsafe: bool, **named: Any
    ) -> R:
        return function(*arguments, tiers=IsolationTierOptions(tier, require_tier, allow_unsafe), **named)

    return wrapped


@contextmanager
def temporarily_print_course_warnings() -> Iterator[None]:
    """Print each warning about the course's files to standard error, once."""
    said: set[str] = set()
    with warnings.catch_warnings():
        show = warnings.showwarning

        def shown(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if not issubclass(category, CourseWarning):
                show(message, category, *place, **more)
            elif str(message) not in said:
                said.add(str(message))
                click.echo(f"warning: {escape_for_display(str(message), 1000)}", err=True)

        warnings.showwarning = shown
        warnings.simplefilter("always", CourseWarning)
        yield


def exit_on_fault(function: Callable[P, R]) -> Callable[P, R]:
    """Turn a fault into one line and an exit code: 2 for the caller's, 1 for the kit's; show a course's warnings."""

    @functools.wraps(function)
    def wrapped(*arguments: P.args, **named: P.kwargs) -> R:
        try:
            with temporarily_print_course_warnings(), temporarily_set_readers_of_new_output_files("owner"):
                return function(*arguments, **named)
        except CallerFault as fault:
            for one in list_course_faults(fault) if isinstance(fault, CourseFault) else (fault,):
                click.echo(f"error: {escape_for_display(str(one), 1000)}", err=True)
            sys.exit(EXIT_CALLER)
        except KeyboardInterrupt:
            click.echo("stopped: run the same command again, and what is done stays done", err=True)
            sys.exit(EXIT_INTERRUPTED)
        except OSError as error:
            if error.errno not in CALLER_ERROR_NUMBERS:
                raise
            refused = make_file_fault(error, escape_for_display(str(error.filename), 200), action="open")
            click.echo(f"error: {refused}", err=True)
            sys.exit(EXIT_CALLER)
        except KitFault as fault:
            click.echo(f"internal error: {escape_for_display(str(fault), 1000)}", err=True)
            sys.exit(EXIT_FAILED)

    return wrapped


def load_course_and_set_output_permissions(course_path: Path | None, untrusted_path: Path | None = None) -> Course:
    """Open the course that a command is about, which says who may read what is written.

    Args:
        course_path: the requested course; the nearest one when None.
        untrusted_path: the path of submissions; the nearest course is refused if it lies inside, because it may be a
            student's.

    Raises:
        CallerFault: there is no course, it does not hold together, or it is refused.
    """
    if course_path is not None and not course_path.exists():
        raise CallerFault(
            "the course does not exist", where=str(course_path), advice="name the folder that holds grading.yml"
        )
    if course_path is not None:
        return _open_config(course_path)
    found = require_nearest_course_file(Path.cwd())
    if untrusted_path is not None and found.resolve().is_relative_to(untrusted_path.resolve()):
        raise CallerFault(
            "the course lies among the submissions", where=str(found), advice="name your course with --course"
        )
    return _open_config(found)


def _open_config(config: Path) -> Course:
    course = load_course(config)
    set_readers_of_new_output_files(course.staff_file_settings.readable_by)
    return course


def get_assignment(course: Course, assignment_name: str) -> Assignment:
    """Find one assignment by name.

    Raises:
        CallerFault: the course has no assignment of that name.
    """
    for assignment in course.assignments:
        if assignment.name == assignment_name:
            return assignment
    known = ", ".join(assignment.name for assignment in course.assignments)
    raise CallerFault(f"unknown assignment '{assignment_name}'", advice=f"choose from {known}")


def choose_sandbox_and_warn_if_weak(assignment: Assignment, tiers: IsolationTierOptions) -> SandboxConfig:
    """Choose the strongest sandbox of this machine; warn on standard error if it is not of the strongest tier.

    Args:
        assignment: gives the weakest accepted tier, and the packages that submissions may import.
        tiers: the options of the command line.

    Raises:
        CallerFault: this machine offers no sandbox that is accepted.
    """
    sandbox = choose_strongest_working_sandbox(
        tiers.choose_weakest_accepted_tier(assignment.weakest_tier), tiers.only_tier, assignment.packages
    )
    if sandbox.tier != TIERS[0]:
        stronger = TIERS[0]
        make_console_without_markup(stderr=True).print(
            f"isolation: tier {sandbox.tier}, weaker than {stronger}; for {stronger}, {ADVICE[stronger]}",
            style="yellow",
            markup=False,
            highlight=False,
        )
    return sandbox


def make_console_without_markup(**settings: Any) -> Console:
    """Make a console that never interprets what it prints as markup; its lines are longer in a file or a pipe."""
    made = Console(markup=False, highlight=False, emoji=False, **settings)
    if not made.is_terminal:
        made.width = max(made.width, WIDTH)
    return made
