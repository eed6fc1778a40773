"""What the commands share: options, the course, and how an error is told."""

from __future__ import annotations

import errno
import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast, get_args

import click
from rich.console import Console

from autograder.course import Assignment, Course, find_course, load_course
from autograder.course.model import TierName
from autograder.faults import CallerFault, KitFault
from autograder.sandbox import Sandbox, choose_sandbox
from autograder.sandbox.probe import ADVICE, TIERS
from autograder.text import clean

P = ParamSpec("P")
R = TypeVar("R")

EXIT_FAILED, EXIT_CALLER, EXIT_INTERRUPTED = 1, 2, 130
CALLERS_ERRORS = (errno.ENAMETOOLONG, errno.ENOENT, errno.EACCES, errno.ENOTDIR, errno.ELOOP)
WIDTH = 1000

course_option = click.option(
    "--course",
    type=click.Path(path_type=Path),
    help="grading.yml, or the folder that holds it; by default the one here or in a folder above.",
)


def tier_options(function: Callable[P, R]) -> Callable[P, R]:
    """The two options on isolation."""
    names = click.Choice(get_args(TierName))
    only = click.option("--tier", type=names, help="Use this isolation tier and no other.")
    accept = click.option(
        "--accept-tier",
        type=names,
        help="Accept a tier this weak, whatever grading.yml says; for code you trust.",
    )
    return only(accept(function))


def told(function: Callable[P, R]) -> Callable[P, R]:
    """Turn a fault into one line and an exit code: 2 for the caller's, 1 for the kit's."""

    @functools.wraps(function)
    def wrapped(*arguments: P.args, **named: P.kwargs) -> R:
        try:
            return function(*arguments, **named)
        except CallerFault as fault:
            click.echo(f"error: {clean(str(fault), 1000)}", err=True)
            sys.exit(EXIT_CALLER)
        except KeyboardInterrupt:
            click.echo("stopped: run the same command again, and what is done stays done", err=True)
            sys.exit(EXIT_INTERRUPTED)
        except OSError as error:
            if error.errno not in CALLERS_ERRORS:
                raise
            click.echo(f"error: {clean(str(error.filename), 200)}: {error.strerror}", err=True)
            sys.exit(EXIT_CALLER)
        except KitFault as fault:
            click.echo(f"error (not the submission's): {clean(str(fault), 1000)}", err=True)
            sys.exit(EXIT_FAILED)

    return wrapped


def open_course(course: Path | None) -> Course:
    """The course that a command is about.

    Raises:
        CallerFault: there is none, or it does not hold together.
    """
    if course is not None and not course.exists():
        raise CallerFault("does not exist", where=str(course), advice="name the folder that holds grading.yml")
    return load_course(course if course is not None else find_course(Path.cwd()))


def find_assignment(course: Course, name: str) -> Assignment:
    """One assignment by name.

    Raises:
        CallerFault: the course has none of that name.
    """
    for assignment in course.assignments:
        if assignment.name == name:
            return assignment
    known = ", ".join(assignment.name for assignment in course.assignments)
    raise CallerFault("is no assignment of this course", where=name, advice=f"known: {known}")


def open_sandbox(weakest: TierName, tier: str | None, accept: str | None) -> Sandbox:
    """The strongest sandbox there is; says so on standard error when it is not the strongest there could be.

    Args:
        weakest: what the course accepts.
        tier: the tier asked for, if one was.
        accept: the weakest tier accepted instead, if one was given.

    Raises:
        CallerFault: this machine offers none that is accepted.
    """
    accepted = cast("TierName", accept or weakest)
    sandbox = choose_sandbox(accepted, cast("TierName | None", tier))
    if sandbox.tier != TIERS[0]:
        stronger = TIERS[0]
        console(stderr=True).print(
            f"isolation: tier {sandbox.tier}, weaker than {stronger}; for {stronger}, {ADVICE[stronger]}",
            style="yellow",
            markup=False,
            highlight=False,
        )
    return sandbox


def console(**settings: Any) -> Console:
    """A console that never interprets what it prints as markup; into a file or a pipe it writes longer lines."""
    made = Console(markup=False, highlight=False, emoji=False, **settings)
    if not made.is_terminal:
        made.width = max(made.width, WIDTH)
    return made
