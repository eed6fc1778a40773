"""Print what commands say, and turn faults into one line and an exit code."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, ParamSpec, TypeVar

import click
from rich.console import Console, RenderableType

import autograder
from autograder.faults import (
    CallerFault,
    CourseFault,
    CourseWarning,
    KitFault,
    ServiceFault,
    list_course_faults,
    make_file_fault,
)
from autograder.files import override_output_file_readers
from autograder.text import escape_for_display

WIDTH = 1000


class PipeFriendlyConsole(Console):
    """A console that leaves a pipe without a reader, as of ``| head``, to click, which ends the command silently."""

    def on_broken_pipe(self) -> NoReturn:
        """Raise the error again; rich ends the program here, as a file of the course must not."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def make_console_without_markup(**settings: Any) -> Console:
    """Make a console that never interprets what it prints as markup; its lines are longer in a file or a pipe."""
    console = PipeFriendlyConsole(markup=False, highlight=False, emoji=False, **settings)
    if not console.is_terminal:
        console.width = max(console.width, WIDTH)
    return console


def print_line(
    text_or_table: RenderableType, *, style: str | None = None, to_stderr: bool = False, soft_wrap: bool = False
) -> None:
    """Print a text, or a table of rich's, without interpreting markup, and end the line.

    Args:
        text_or_table: what is printed.
        style: how rich shows it in a terminal, such as ``bold`` or ``red``.
        to_stderr: whether it goes to stderr instead of stdout.
        soft_wrap: whether a line longer than the terminal is left whole, so that it can be copied.
    """
    make_console_without_markup(stderr=to_stderr).print(text_or_table, style=style, soft_wrap=soft_wrap)


P = ParamSpec("P")
R = TypeVar("R")
KIT_FOLDER = Path(autograder.__file__).parent
EXIT_FAILED = 1
EXIT_CALLER = 2
EXIT_INTERRUPTED = 130
CALLER_ERROR_NUMBERS = (errno.ENAMETOOLONG, errno.ENOENT, errno.EACCES, errno.ENOTDIR, errno.ELOOP)


@contextmanager
def temporarily_print_course_warnings() -> Iterator[None]:
    """Print each warning about the course's files to standard error, once."""
    printed_messages: set[str] = set()
    with warnings.catch_warnings():
        show_warning = warnings.showwarning

        def print_warning(message: Warning | str, category: type[Warning], *place: Any, **keywords: Any) -> None:
            if not issubclass(category, CourseWarning):
                show_warning(message, category, *place, **keywords)
            elif str(message) not in printed_messages:
                printed_messages.add(str(message))
                click.echo(f"warning: {escape_for_display(str(message), 1000)}", err=True)

        warnings.showwarning = print_warning
        warnings.simplefilter("always", CourseWarning)
        yield


def _discard_unwritten_output() -> None:
    """Let the interpreter end without another attempt to write what standard output does not take."""
    with open(os.devnull, "wb") as nowhere, contextlib.suppress(OSError, ValueError):
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def exit_on_fault(function: Callable[P, R]) -> Callable[P, R]:
    """Turn a fault into one line and an exit code, and show a course's warnings.

    The exit code is 2 for the caller's fault, and 1 for the kit's or an external service's.
    """

    @functools.wraps(function)
    def wrapped(*arguments: P.args, **keywords: P.kwargs) -> R:
        try:
            with temporarily_print_course_warnings(), override_output_file_readers("owner"):
                return function(*arguments, **keywords)
        except CallerFault as fault:
            for course_fault in list_course_faults(fault) if isinstance(fault, CourseFault) else (fault,):
                click.echo(f"error: {escape_for_display(str(course_fault), 1000)}", err=True)
            sys.exit(EXIT_CALLER)
        except SystemExit as ended:
            if where := _find_exit_outside_kit(ended):
                click.echo(f"error: {where}: this file ended the program (take sys.exit() out)", err=True)
                sys.exit(EXIT_CALLER)
            raise
        except KeyboardInterrupt:
            click.echo("stopped: run the same command again, and what is done stays done", err=True)
            sys.exit(EXIT_INTERRUPTED)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EIO) and error.filename is None:
                click.echo(f"error: cannot write the output: {error.strerror} (write it elsewhere)", err=True)
                _discard_unwritten_output()
                sys.exit(EXIT_FAILED)
            if error.errno not in CALLER_ERROR_NUMBERS:
                raise
            file_fault = make_file_fault(error, escape_for_display(str(error.filename), 200), action="open")
            click.echo(f"error: {file_fault}", err=True)
            sys.exit(EXIT_CALLER)
        except KitFault as fault:
            kind = "external error" if isinstance(fault, ServiceFault) else "internal error"
            click.echo(f"{kind}: {escape_for_display(str(fault), 1000)}", err=True)
            sys.exit(EXIT_FAILED)

    return wrapped


def _find_exit_outside_kit(ended: SystemExit) -> str:
    """Return the line that ended the program, as ``file:line``; empty if the kit itself ended it.

    A file of the course that calls ``sys.exit()`` must not end a command with exit code 0 before it is done.
    """
    step = ended.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    if step is None or Path(step.tb_frame.f_code.co_filename).is_relative_to(KIT_FOLDER):
        return ""
    return f"{step.tb_frame.f_code.co_filename}:{step.tb_lineno}"
