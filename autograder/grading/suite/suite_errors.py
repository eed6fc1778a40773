"""Tell apart the errors of a hidden test's own lines from those that a value of the student's code causes."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from autograder.bridge.student_exceptions import StudentError, StudentStopped
from autograder.grading.suite.suite_tracebacks import (
    SuiteFrame,
    find_suite_file_or_none,
    iterate_suite_frames,
    summarize_exception,
)

OWN_INSTRUCTIONS: dict[type[BaseException], frozenset[str]] = {
    NameError: frozenset({"LOAD_GLOBAL", "LOAD_NAME"}),
    ImportError: frozenset({"IMPORT_NAME", "IMPORT_FROM"}),
    AttributeError: frozenset({"LOAD_ATTR", "LOAD_METHOD"}),
}
"""What a line of the suite was doing when it raised an error that no value causes.

An unbound local variable is not among them (``LOAD_FAST``, ``LOAD_DEREF``): a loop over the student's empty list
leaves one so. Neither is a call, such as ``getattr(operator, name)`` with a name that the student chose.
"""
Position = tuple[int, int, int, int]
"""First line, first column, last line, last column of a piece of source."""


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
    kind, _, text = summarize_exception(raised).partition(": ")
    within = "" if first == last else f" in {last}"
    return f"{first} fails with {kind}{within}" + (f": {text}" if text else "")


def is_raised_by_assertion_message(raised: BaseException, suite_folder: Path) -> bool:
    """Return whether an exception comes from the message of an ``assert``, which has failed then.

    Args:
        raised: what the test raised, with its traceback.
        suite_folder: the folder of the hidden suite.
    """
    return any(
        _lies_within(_get_position(frame), _get_position_of_node(node.msg))
        for frame in iterate_suite_frames(raised.__traceback__, suite_folder)
        for node in ast.walk(_parse_file_of(frame))
        if isinstance(node, ast.Assert) and node.msg is not None
    )


def _is_own_error(raised: BaseException, last: SuiteFrame, suite_folder: Path) -> bool:
    if isinstance(raised, SystemExit):
        return True
    for kind, instructions in OWN_INSTRUCTIONS.items():
        if isinstance(raised, kind):
            is_on_module = not isinstance(raised, AttributeError) or isinstance(raised.obj, ModuleType)
            return is_on_module and last.opcode_name in instructions
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
    position = _get_position(frame)
    calls = (node for node in ast.walk(_parse_file_of(frame)) if isinstance(node, ast.Call))
    return next((one for one in calls if _get_position_of_node(one) == position), None)


def _parse_file_of(frame: SuiteFrame) -> ast.Module:
    """Return the syntax tree of a frame's file; an empty one if the file has changed or is gone."""
    try:
        return ast.parse(Path(frame.frame.f_code.co_filename).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return ast.Module([], [])


def _get_position(frame: SuiteFrame) -> Position:
    """Return the position of what a frame was doing; zeros if it is unknown."""
    code: CodeType = frame.frame.f_code
    first, last, start, end = next(islice(code.co_positions(), frame.instruction // 2, None), (0, 0, 0, 0))
    return first or 0, start or 0, last or 0, end or 0


def _get_position_of_node(node: ast.expr) -> Position:
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0


def _lies_within(inner: Position, outer: Position) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:] and inner != (0, 0, 0, 0)


def _find_own_function_or_none(called: ast.expr, frame: SuiteFrame, suite_folder: Path) -> Callable[..., Any] | None:
    """Return the function or class of the suite that an expression names; None if it names anything else."""
    match called:
        case ast.Name(id=name):
            found = frame.frame.f_globals.get(name)  # a local one may be what the student's value chose
        case ast.Attribute(value=ast.Name(id=name), attr=attribute):
            module = frame.frame.f_globals.get(name)
            found = vars(module).get(attribute) if isinstance(module, ModuleType) else None
        case _:
            return None
    function = found.__dict__.get("__init__") if isinstance(found, type) else found
    if not isinstance(function, FunctionType) or not isinstance(found, FunctionType | type):
        return None
    return found if find_suite_file_or_none(function.__code__.co_filename, suite_folder) else None
