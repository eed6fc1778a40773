"""Report a mistake in a platform's code in one line: who is responsible, what was raised, and where."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from traceback import walk_tb

from autograder.faults import CallerFault, Fault, KitFault
from autograder.safe_text import escape_for_display

KIT = __name__.partition(".")[0]


def make_plugin_fault(entry_point: EntryPoint | None, problem: str, where: str, consequence: str = "") -> Fault:
    """Return the fault for a mistake in a platform's code: ``KitFault`` if the kit brings it, else ``CallerFault``.

    Args:
        entry_point: the entry point that names the platform; None where it is not installed.
        problem: what went wrong, a sentence without a full stop.
        where: the platform, or the entry point that names no platform.
        consequence: what the mistake led to, or how to go on without the platform.
    """
    if is_kit_entry_point(entry_point):
        return KitFault(problem, where, _join_advice(consequence, "report this line as a bug of the kit"))
    return CallerFault(
        problem, where, _join_advice(consequence, f"fix or uninstall {_format_distribution(entry_point)}")
    )


def is_kit_entry_point(entry_point: EntryPoint | None) -> bool:
    """Return whether the kit itself brings a platform; False where there is no entry point."""
    return _get_package(entry_point) == KIT


def format_entry_point_declaration(entry_point: EntryPoint) -> str:
    """Return the entry point as its distribution writes it."""
    return f"entry point {entry_point.name} = {entry_point.value}"


def describe_plugin_exception(error: BaseException, entry_point: EntryPoint | None) -> str:
    """Say what was raised, and where in the platform's own code, even if a library or the kit raised it there.

    If no line of the platform's code is in the traceback, a library's line is named. No line is named where a call
    failed before its first line.
    """
    error_text = f"{type(error).__name__}: {escape_for_display(str(error))}".removesuffix(": ")
    lines = [
        (str(frame.f_globals.get("__name__", "")).partition(".")[0], f"{frame.f_code.co_filename}:{line}")
        for frame, line in walk_tb(error.__traceback__)
    ]
    own_lines = [line for package, line in lines if package == _get_package(entry_point)]
    library_lines = [line for package, line in lines if package not in (KIT, "importlib")]  # callers are left out
    return (
        f"{error_text} at {escape_for_display(code_lines[-1])}"
        if (code_lines := own_lines or library_lines)
        else error_text
    )


def _get_package(entry_point: EntryPoint | None) -> str:
    return entry_point.value.partition(":")[0].partition(".")[0].strip() if entry_point else ""


def _format_distribution(entry_point: EntryPoint | None) -> str:
    distribution = entry_point.dist if entry_point else None
    return (
        f"{distribution.name} {distribution.version}, which brings it"
        if distribution
        else "the distribution that brings it"
    )


def _join_advice(*parts: str) -> str:
    return "; ".join(part for part in parts if part)
