"""Report a mistake in a platform's code in one line: who is responsible, what was raised, and where."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint
from traceback import walk_tb

from autograder.faults import CallerFault, Fault, KitFault
from autograder.safe_text import escape_for_display

KIT = __name__.partition(".")[0]


class InvalidPluginAnswer(Exception):
    """A part of a platform returned an invalid value; the message is shown after the part's name."""


@contextmanager
def blame_plugin(entry_point: EntryPoint | None, where: str, part: str, *advice: str) -> Iterator[None]:
    """Run a platform's code, and report what it raises or returns by mistake as a fault of whoever brings it.

    A ``Fault``, which the code raises on purpose, passes unchanged.

    Args:
        entry_point: the entry point that names the platform; None where it is not installed.
        where: the platform, or the entry point that names no platform.
        part: the part of the platform that runs, such as its reader.
        advice: what the mistake led to, or how to go on without the platform.

    Raises:
        KitFault: the code has a mistake, and the kit brings it.
        CallerFault: the code has a mistake, and another distribution brings it.
    """
    package = get_package(entry_point) if entry_point else ""
    try:
        yield
    except Fault:
        raise
    except (Exception, SystemExit) as error:  # code of a third-party distribution may raise anything
        if package == KIT and isinstance(error, OSError) and error.filename:
            raise  # an unreadable file of the caller is not a bug of the platform
        problem = f"the {part} " + (
            str(error) if isinstance(error, InvalidPluginAnswer) else f"raised {_describe_exception(error, package)}"
        )
        if package == KIT:
            raise KitFault(problem, where, "; ".join([*advice, "report this line as a bug of the kit"])) from error
        distribution = entry_point.dist if entry_point else None
        owner = f"{distribution.name} {distribution.version}, which" if distribution else "the distribution that"
        raise CallerFault(problem, where, "; ".join([*advice, f"fix or uninstall {owner} brings it"])) from error


def get_package(entry_point: EntryPoint) -> str:
    """Return the top-level package that an entry point names."""
    return entry_point.value.partition(":")[0].partition(".")[0].strip()


def _describe_exception(error: BaseException, package: str) -> str:
    """Say what was raised, and where in the platform's own code, even if a library or the kit raised it there.

    If no line of the platform's code is in the traceback, a library's line is named. No line is named where a call
    failed before its first line.
    """
    lines_by_package: dict[str, str] = {}
    for frame, line in walk_tb(error.__traceback__):
        frame_package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if frame_package == package or frame_package not in (KIT, "importlib"):  # callers are left out
            lines_by_package["own" if frame_package == package else "library"] = f"{frame.f_code.co_filename}:{line}"
    line_of_code = lines_by_package.get("own") or lines_by_package.get("library")
    text = f"{type(error).__name__}: {escape_for_display(str(error))}".removesuffix(": ")
    return f"{text} at {escape_for_display(line_of_code)}" if line_of_code else text
