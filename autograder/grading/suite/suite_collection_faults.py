"""Say what keeps a hidden suite from being collected: the file and line where it really is, and what to do."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

import pytest
from _pytest.config import ConftestImportFailure

from autograder.course import Assignment
from autograder.course.assignment_module_loading import ADVICE_ON_PROGRAM_END, PROGRAM_END
from autograder.course.course_import_time_limit import ImportTimeout
from autograder.faults import CourseFault, format_did_you_mean_suffix
from autograder.grading.suite.hidden_test_spec_reader import MARKER_NAMES
from autograder.grading.suite.suite_tracebacks import (
    find_suite_file_or_none,
    format_suite_traceback,
    iterate_suite_frames,
    summarize_exception,
)

UNKNOWN_MARKER = re.compile(r"'(\w+)' not found in `markers` configuration option")
"""Pytest's message about the first unknown marker in a file."""
NO_CASES = re.compile(r"Empty parameter set in '(\w+)' at line (\d+)")
"""Pytest's message about a test that is parametrized with an empty list."""
UNKNOWN_MARKER_START = "unknown marker"
PROGRAM_ENDS = (SystemExit, KeyboardInterrupt, pytest.exit.Exception)


def make_collection_fault(
    error: BaseException, assignment: Assignment, collected_file: Path, suite_modules: Collection[str] = ()
) -> CourseFault:
    """Return the fault for an exception that a suite's file raised while it was imported.

    Args:
        error: the exception, as pytest passes it on.
        assignment: the assignment of the suite.
        collected_file: the file that was being collected; named if the exception names no line of the suite.
        suite_modules: the names of the modules and packages that lie beside the tests.
    """
    error = _unwrap(error)
    folder = assignment.hidden_suite_folder
    frames = [*iterate_suite_frames(error.__traceback__, folder)]
    where = frames[-1].location if frames else str(collected_file)
    if isinstance(error, ImportTimeout):
        return CourseFault(
            f"this line was still running after {error.seconds:g} s of collecting the suite",
            where=where,
            advice="look for a loop without an end, or for something that it waits for",
        )
    if isinstance(error, PROGRAM_ENDS):
        return CourseFault(PROGRAM_END, where=where, advice=ADVICE_ON_PROGRAM_END)
    if isinstance(error, SyntaxError) and (file := find_suite_file_or_none(error.filename, folder)):
        return CourseFault(
            f"this line is not valid Python: {error.msg}", where=f"{file}:{error.lineno or 1}", advice="fix the line"
        )
    if isinstance(error, pytest.fail.Exception) and (marker := UNKNOWN_MARKER.match(str(error))):
        return make_unknown_marker_fault(marker[1], where)
    if isinstance(error, pytest.Collector.CollectError) and (empty := NO_CASES.match(str(error))):
        return CourseFault(
            f"`parametrize` gives {empty[1]} no cases, so it never runs",
            where=f"{collected_file}:{empty[2]}",
            advice="look at what its list is made from",
        )
    return CourseFault(
        f"cannot import this file: {summarize_exception(error)}",
        where=where,
        advice=_advise(error, assignment, suite_modules),
        details=format_suite_traceback(error, folder),
    )


def make_unknown_marker_fault(marker_name: str, where: str) -> CourseFault:
    """Return the fault for a marker that neither the kit nor pytest has.

    Args:
        marker_name: the marker.
        where: the line of the suite that uses it.
    """
    return CourseFault(
        f"{UNKNOWN_MARKER_START} {marker_name!r}{format_did_you_mean_suffix(marker_name, MARKER_NAMES)}",
        where=where,
        advice=f"choose from {', '.join(MARKER_NAMES)}",
    )


def make_skipped_file_fault(skipped_report: pytest.CollectReport, file: Path) -> CourseFault:
    """Return the fault for a file that leaves itself out while it is imported, as ``importorskip`` does."""
    _, line, reason = skipped_report.longrepr if isinstance(skipped_report.longrepr, tuple) else ("", 1, "")
    return CourseFault(
        f"this file leaves itself out: {reason.removeprefix('Skipped: ')}",
        where=f"{file}:{line}",
        advice="use `import` in place of `pytest.importorskip`: marks must not depend on the machine",
    )


def was_raised_by_suite(error: BaseException, suite_folder: Path) -> bool:
    """Return whether a line of the suite raised an exception that ends the program.

    Ctrl-C raises ``KeyboardInterrupt`` as well, in any line or in the handler of the signal, but not by a ``raise``
    of the suite.
    """
    frames = [*iterate_suite_frames(error.__traceback__, suite_folder)]
    if not frames or not isinstance(error, KeyboardInterrupt):
        return bool(frames)
    return frames[-1].is_last and frames[-1].opcode_name == "RAISE_VARARGS"


def _unwrap(error: BaseException) -> BaseException:
    """Return the exception that a suite's file raised, from the one that pytest made of it."""
    if isinstance(error, ConftestImportFailure):
        return error.cause
    if isinstance(error, pytest.Collector.CollectError) and error.__cause__ is not None:
        return error.__cause__
    return error


def _advise(error: BaseException, assignment: Assignment, suite_modules: Collection[str]) -> str:
    if isinstance(error, ModuleNotFoundError):
        return advise_on_import(error.name or "", assignment, suite_modules)
    if isinstance(error, ImportError):
        return "fix the import, or the module that it names"
    return "fix the line"


def advise_on_import(module_name: str, assignment: Assignment, suite_modules: Collection[str] = ()) -> str:
    """Say what to do about an import of a module that a suite cannot have.

    Args:
        module_name: the name of the module.
        assignment: the assignment of the suite.
        suite_modules: the names of the modules and packages that lie beside the tests.
    """
    if module_name == assignment.solution_file.stem:
        return "the submission runs in a process of its own: take what you need with `student.get(...)`"
    guess = format_did_you_mean_suffix(module_name, suite_modules)
    return f"put a copy of the module into {assignment.hidden_suite_folder.name}/, or install the package{guess}"
