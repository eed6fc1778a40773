"""Tell apart the errors of a hidden test's own lines from those that a value of the student's code causes."""

from __future__ import annotations

import ast
from pathlib import Path
from types import ModuleType

from autograder.bridge.student_exceptions import StudentError, StudentStopped
from autograder.grading.suite.suite_call_errors import is_wrong_call_of_suite_function
from autograder.grading.suite.suite_rebindings import find_names_rebound_by_tests
from autograder.grading.suite.suite_tracebacks import (
    UNKNOWN_POSITION,
    Position,
    SuiteFrame,
    get_position_of_node,
    iterate_suite_frames,
    summarize_exception,
)

IMPORTING = frozenset({"IMPORT_NAME", "IMPORT_FROM"})
READING_ATTRIBUTE = frozenset({"LOAD_ATTR", "LOAD_METHOD"})


def describe_own_error_of_test(raised: BaseException, suite_folder: Path) -> str:
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
        _lies_within(frame.position, get_position_of_node(node.msg))
        for frame in iterate_suite_frames(raised.__traceback__, suite_folder)
        for node in ast.walk(frame.parse_file())
        if isinstance(node, ast.Assert) and node.msg is not None
    )


def _lies_within(inner: Position, outer: Position) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:] and inner != UNKNOWN_POSITION


def _is_own_error(raised: BaseException, last: SuiteFrame, suite_folder: Path) -> bool:
    """Return whether no value can have caused an exception; in doubt, one has.

    An unbound local variable (``LOAD_FAST``, ``LOAD_DEREF``) does not count: a loop over the student's empty list
    leaves one. Neither does a call, such as ``getattr(operator, name)`` with a name that the student chose.
    """
    match raised:
        case SystemExit():
            return last.is_last
        case ImportError():
            return last.opcode_name in IMPORTING
        case NameError(name=str(name)):
            rebound = find_names_rebound_by_tests(suite_folder)
            return last.opcode_name == "LOAD_GLOBAL" and not rebound.may_include(name)
        case AttributeError(obj=ModuleType()):
            return last.opcode_name in READING_ATTRIBUTE and _is_missing_from_global_module(last, suite_folder)
        case TypeError():
            return last.is_last and is_wrong_call_of_suite_function(raised, last, suite_folder)
    return False


def _is_missing_from_global_module(frame: SuiteFrame, suite_folder: Path) -> bool:
    """Return whether a line reads an attribute of what a name of its module stands for, whatever values there are."""
    reads = [
        node
        for node in ast.walk(frame.parse_file())
        if isinstance(node, ast.Attribute) and get_position_of_node(node) == frame.position
    ]
    rebound = find_names_rebound_by_tests(suite_folder)
    for node in reads:
        names, root = {node.attr}, node.value
        while isinstance(root, ast.Attribute):
            names.add(root.attr)
            root = root.value
        if isinstance(root, ast.Name) and frame.reads_global(root):
            return not rebound.may_include(*names, root.id)
    return False
