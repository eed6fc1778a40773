"""Tell apart the errors of a hidden test's own lines from those that a value of the student's code causes."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from autograder.bridge.student_errors_and_stops import StudentError, StudentStopped
from autograder.grading.suite_source_locations import (
    SuiteFrame,
    describe_exception,
    find_suite_file_or_none,
    iterate_suite_frames,
)

NEVER_THE_STUDENTS = (NameError, ImportError, SystemExit)
"""Exceptions that no value causes: a name or a module that is missing, and ``sys.exit()``."""


def describe_own_error_of_test_or_empty(raised: BaseException, suite_folder: Path) -> str:
    """Describe for the author the error of a test's own lines; return an empty text for any other error.

    Example: ``test_1_order.py:45 fails with NameError in queue_checks.py:18: name 'clse' is not defined``.

    Args:
        raised: what the test raised, with its traceback.
        suite_folder: the folder of the hidden suite.
    """
    if isinstance(raised, StudentError | StudentStopped):
        return ""
    frames = [*iterate_suite_frames(raised.__traceback__, suite_folder)]
    if not frames or not _is_own_error(raised, frames[-1], suite_folder):
        return ""
    first, last = frames[0].short_location, frames[-1].short_location
    kind, _, text = describe_exception(raised).partition(": ")
    within = "" if first == last else f" in {last}"
    return f"{first} fails with {kind}{within}" + (f": {text}" if text else "")


def _is_own_error(raised: BaseException, last: SuiteFrame, suite_folder: Path) -> bool:
    if isinstance(raised, NEVER_THE_STUDENTS):
        return True
    if isinstance(raised, AttributeError):
        return isinstance(raised.obj, ModuleType)  # a student's value is never a module
    return isinstance(raised, TypeError) and last.is_last and _is_call_with_wrong_arguments(last, suite_folder)


def _is_call_with_wrong_arguments(frame: SuiteFrame, suite_folder: Path) -> bool:
    """Return whether a line calls a function of the suite with arguments that it can never take.

    Only the number and the names of the arguments count, not their values. A call with ``*`` or ``**`` does not
    count: the student's code may decide how many there are.
    """
    call = _find_call_or_none(frame)
    if call is None or any(isinstance(one, ast.Starred) for one in call.args):
        return False
    names = [keyword.arg for keyword in call.keywords]
    function = _find_own_function_or_none(call.func, frame, suite_folder)
    if function is None or None in names:
        return False
    try:
        inspect.signature(function).bind(*call.args, **dict.fromkeys(map(str, names)))
    except TypeError:
        return True
    return False


def _find_call_or_none(frame: SuiteFrame) -> ast.Call | None:
    """Return the call that a line was making; None if it was making none."""
    code: CodeType = frame.frame.f_code
    position = next(islice(code.co_positions(), frame.instruction // 2, None), (None, None, None, None))
    try:
        tree = ast.parse(Path(code.co_filename).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return next(
        (one for one in calls if (one.lineno, one.end_lineno, one.col_offset, one.end_col_offset) == position), None
    )


def _find_own_function_or_none(called: ast.expr, frame: SuiteFrame, suite_folder: Path) -> Callable[..., Any] | None:
    """Return the function or class of the suite that an expression names; None if it names anything else."""
    match called:
        case ast.Name(id=name):
            found = _look_up(frame, name)
        case ast.Attribute(value=ast.Name(id=name), attr=attribute):
            module = _look_up(frame, name)
            found = vars(module).get(attribute) if isinstance(module, ModuleType) else None
        case _:
            return None
    function = found.__dict__.get("__init__") if isinstance(found, type) else found
    if not isinstance(function, FunctionType) or not isinstance(found, FunctionType | type):
        return None
    return found if find_suite_file_or_none(function.__code__.co_filename, suite_folder) else None


def _look_up(frame: SuiteFrame, name: str) -> Any:
    scope = frame.frame
    return scope.f_locals.get(name, scope.f_globals.get(name))
